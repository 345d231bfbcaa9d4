"""One call of a tool in a run: call.py RUN.json TOOL ['JSON' | -]

All calls of a run go to one server, which a daemon behind a Unix socket holds: the first call starts it, `score.py` ends it, and so
do 30 minutes without a call. Every call is a line in the run's log. Standard library only."""
import contextlib, fcntl, json, os, socket, subprocess, sys, time

from server import Ended, Server, append, docs_bytes

IDLE_SECONDS = 30 * 60
LIMIT = 30000


def connect(run):
    """A connection to the run's daemon, None where there is none."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(run["socket"])
        return connection
    except OSError:
        connection.close()
        return None


def connect_or_start(path, run):
    with open(run["socket"] + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        connection = connect(run)
        if connection:
            return connection
        subprocess.Popen([sys.executable, os.path.abspath(__file__), "--daemon", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(150):
            time.sleep(0.1)
            connection = connect(run)
            if connection:
                return connection
    sys.exit("the run's server did not start")


def ask(connection, message):
    with connection, connection.makefile("rwb") as stream:
        stream.write(json.dumps(message).encode() + b"\n")
        stream.flush()
        line = stream.readline()
    return json.loads(line) if line else {"text": "error: the server gave no answer\n"}


def remove(*paths):
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def stop(run):
    """Ends the run's daemon, where there is one."""
    connection = connect(run)
    if connection:
        ask(connection, {"stop": True})
    remove(run["socket"], run["socket"] + ".lock")


def answer_to(server, run, lines, message):
    tool, arguments, start = message["tool"], message["arguments"], time.time()
    text, failed = server.call(tool, arguments)
    shown = text if len(text) <= LIMIT else text[:LIMIT] + "\n[cut: %d of %d characters are shown]\n" % (LIMIT, len(text))
    append(run["log"], {"kind": "call", "tool": tool, "arguments": arguments, "error": failed, "bytes": len(shown.encode()),
                        "docs_bytes": docs_bytes(tool, shown, failed, lines), "seconds": round(time.time() - start, 2), "answer": shown})
    return shown


def serve(path):
    with open(path) as text:
        run = json.load(text)
    with open(run["tiers"]) as text:
        lines = set(json.load(text)["lines"])
    remove(run["socket"])
    server = Server(run["peelback"], run["project"], run["tier"], run["home"])
    append(run["log"], {"kind": "server"})
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(run["socket"])
    listener.listen(16)
    listener.settimeout(IDLE_SECONDS)
    try:
        while True:
            connection, _ = listener.accept()
            connection.settimeout(None)
            with connection, connection.makefile("rwb") as stream:
                line = stream.readline()
                if not line:
                    continue
                message = json.loads(line)
                if message.get("stop"):
                    stream.write(b"{}\n")
                    return
                reply = {"text": answer_to(server, run, lines, message)}
                stream.write(json.dumps(reply).encode() + b"\n")
                stream.flush()
    except (TimeoutError, Ended) as why:
        append(run["log"], {"kind": "ended", "why": str(why) or "idle"})
    finally:
        remove(run["socket"])
        server.close()


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--daemon":
        return serve(sys.argv[2])
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path, words = sys.argv[1], sys.argv[2:]
    with open(path) as text:
        run = json.load(text)
    refused = None
    if not 1 <= len(words) <= 2:
        refused = "a call is TOOL 'JSON': the JSON in single quotes is one word, or is `-` and comes on standard input"
    else:
        given = words[1] if len(words) == 2 else "{}"
        try:
            arguments = json.loads(sys.stdin.read() if given == "-" else given)
            if not isinstance(arguments, dict):
                refused = "the arguments are an object in JSON"
        except ValueError as error:
            refused = "the arguments are no JSON (%s)" % error
    if refused:
        append(run["log"], {"kind": "refused", "why": refused, "words": words, "bytes": len(refused) + 10})
        print("refused: " + refused)
        sys.exit(2)
    text = ask(connect_or_start(path, run), {"tool": words[0], "arguments": arguments})["text"]
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


if __name__ == "__main__":
    main()
