"""One `peelback serve` over standard input and output, and what a run's log says of its answers. Standard library only."""
import json, os, re, subprocess, time

PROTOCOL = "2025-06-18"


def environment(home):
    """The variables of a server: no configuration of the user's, no model, a cache of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return {**kept, "XDG_CONFIG_HOME": os.path.join(home, "config"), "XDG_CACHE_HOME": os.path.join(home, "cache")}


class Ended(Exception):
    """The server has ended."""


class Server:
    """A server of `project` whose tools have the docs of `tier`; `home` holds its cache."""

    def __init__(self, peelback, project, tier, home):
        self.process = subprocess.Popen([peelback, "serve", "--root", project, "--docs", tier], cwd=project, env=environment(home),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last_id = 0
        self.initialized = self.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {},
                                                       "clientInfo": {"name": "bench-tiers", "version": "1"}})["result"]
        self.send({"method": "notifications/initialized"})

    @property
    def instructions(self):
        return self.initialized.get("instructions", "")

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Ended(str(error)) from None

    def request(self, method, parameters):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": parameters})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise Ended("no answer to %s" % method)
            message = json.loads(line)
            if message.get("id") == self.last_id and "method" not in message:
                return message

    def tools(self):
        return self.request("tools/list", {})["result"]["tools"]

    def call(self, tool, arguments):
        """Text of the answer as a model sees it, and whether the call ended in an error."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            return "error: %s\n" % answer["error"]["message"], True
        result = answer["result"]
        text = "\n".join(block["text"] for block in result.get("content", []) if block.get("type") == "text")
        return text, bool(result.get("isError")) or says_error(text)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def says_error(text):
    """Most failures that a caller can mend are answers that begin with `error:`, or JSON with that key."""
    if re.match(r"\s*error\b", text):
        return True
    if text.lstrip().startswith("{"):
        try:
            return "error" in json.loads(text)
        except ValueError:
            pass
    return False


def lines_of_docs(server):
    """The lines that full docs are made of: what search_tools says of each tool, without its own first line."""
    lines = set()
    for tool in server.tools():
        text, failed = server.call("search_tools", {"query": tool["name"], "tier": "full"})
        if failed:
            raise SystemExit("no full docs of %s: %s" % (tool["name"], text))
        lines.update(line.strip() for line in text.splitlines()[1:] if line.strip())
    return lines


def docs_bytes(tool, text, failed, lines):
    """Bytes of an answer that are docs: all of search_tools', and an error's lines that stand in the full docs."""
    if tool == "search_tools" and not failed:
        return len(text.encode())
    return sum(len(line.encode()) + 1 for line in text.splitlines() if line.strip() in lines) if failed else 0


def append(log, entry):
    with open(log, "a") as out:
        out.write(json.dumps({"at": round(time.time(), 2), **entry}, ensure_ascii=False) + "\n")
