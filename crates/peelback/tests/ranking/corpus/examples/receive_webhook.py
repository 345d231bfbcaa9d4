"""A receiver for Harbor webhooks: checks the signature and prints the event.

    HARBOR_SECRET=... python3 receive_webhook.py 8080
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from harbor_tracking.webhooks.signing import BadSignature, verify_signature

SECRET = os.environ.get("HARBOR_SECRET", "change-me")


class WebhookHandler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            verify_signature(
                SECRET,
                self.headers.get("Harbor-Timestamp", ""),
                body,
                self.headers.get("Harbor-Signature", ""),
            )
        except BadSignature as exc:
            self.send_error(400, f"webhook signature: {exc}")
            return
        event = json.loads(body)
        print(event["event"], event["data"]["tracking_no"])
        self.send_response(204)
        self.end_headers()


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    HTTPServer(("", port), WebhookHandler).serve_forever()
