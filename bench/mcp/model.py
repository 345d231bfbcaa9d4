"""A model's endpoint for tries of long runs: answers OpenAI's Chat Completions after some seconds, always the same.

model.py SECONDS prints its address and serves until it is ended.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EXPLORED = {
    "reasoning": "The cart adds items up.",
    "symbols_needed": ["cart.py:Cart"],
    "additional_files_needed": [],
    "sufficient_context": True,
    "preliminary_insights": "Cart.total adds prices up.",
    "key_locations": [],
}
DOCUMENT = "## Summary\n\nThe slow model wrote this about `Cart` (`cart.py:1-5`).\n\n## Key Files\n\n- `cart.py:1-5`: the cart\n"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = self.rfile.read(int(self.headers["Content-Length"])).decode()
        time.sleep(float(sys.argv[1]))
        text = json.dumps(EXPLORED) if "sufficient_context" in request else DOCUMENT
        body = json.dumps({
            "id": "1",
            "object": "chat.completion",
            "model": "slow",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except BrokenPipeError:
            pass

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"listening on http://127.0.0.1:{server.server_port}/v1", file=sys.stderr, flush=True)
    server.serve_forever()
