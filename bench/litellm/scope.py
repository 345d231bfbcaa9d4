#!/usr/bin/env python3
"""From a question to a document through LiteLLM's proxy: PYTHON=venv/bin/python scope.py PEELBACK [--keep FOLDER]

Starts the proxy on a free port with the replies of scope-replies/ (see run.sh and scripted.py), asks one question of a small
repository that it writes here, as pipeline and as agent, over Chat Completions, Anthropic's Messages and OpenAI's Responses,
and stops the proxy. A reply is only given to a request that holds the outlines, bodies and results that it answers, so a lost
result ends the run. The pipeline's first reply does not fit its form; the document has two citations to repair and two to mark."""
import argparse, json, os, re, signal, socket, subprocess, sys, tempfile, time, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
QUESTION = "How is a loan renewed, and what stops it?"
KEY = "sk-local"
PROTOCOLS = {
    "litellm": ("Chat Completions", "/v1/chat/completions"),
    "litellm-anthropic": ("Anthropic Messages", "/v1/messages"),
    "litellm-responses": ("Responses", "/v1/responses"),
}
# Requests of a run without faults: two rounds, a repair and the document; four turns and the document.
REQUESTS = {"pipeline": 4, "agent": 5}
FILES = {
    "README.md": "# Lending\n\nA desk that lends titles to readers, renews loans and takes titles back.\n",
    "lending/desk.py": '''"""The desk: what a reader may borrow, and for how long."""

from lending.rules import days_allowed, limit_of
from lending.store import Store


class Desk:
    """Lends and renews."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def lend(self, reader: str, title: str) -> int:
        """Lends a title and returns the days that it may be kept."""
        if len(self.store.loans_of(reader)) >= limit_of(reader):
            raise ValueError(f"{reader} has as many titles as a reader may have")
        days = days_allowed(title)
        self.store.note(reader, title, days)
        return days

    def renew(self, reader: str, title: str) -> int:
        """Renews a loan, unless somebody waits for the title."""
        if self.store.is_awaited(title):
            raise ValueError(f"somebody waits for {title}")
        return self.store.prolong(reader, title, days_allowed(title))
''',
    "lending/store.py": '''"""Who has what, and who waits."""


class Store:
    def __init__(self) -> None:
        self.loans: dict[tuple[str, str], int] = {}
        self.waiting: set[str] = set()

    def loans_of(self, reader: str) -> list[str]:
        return [title for (who, title) in self.loans if who == reader]

    def note(self, reader: str, title: str, days: int) -> None:
        self.loans[reader, title] = days

    def is_awaited(self, title: str) -> bool:
        """Whether somebody waits for a title."""
        return title in self.waiting

    def prolong(self, reader: str, title: str, days: int) -> int:
        """Adds days to a loan and returns all of its days."""
        if (reader, title) not in self.loans:
            raise KeyError("no such loan")
        self.loans[reader, title] += days
        return self.loans[reader, title]
''',
    "lending/rules.py": '''"""How many titles, and for how long."""

LIMIT = 5
WEEKS = {"film": 1, "book": 4}


def limit_of(reader: str) -> int:
    """Titles that a reader may have at once; staff may have twice as many."""
    return LIMIT * 2 if reader.startswith("staff:") else LIMIT


def days_allowed(title: str) -> int:
    """Days that a title may be kept, by its kind."""
    kind = title.split(":", 1)[0]
    return 7 * WEEKS.get(kind, 2)
''',
}


def ask(base, path, body=None):
    request = urllib.request.Request(base + path, json.dumps(body).encode() if body else None)
    request.add_header("Authorization", "Bearer " + KEY)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=10) as reply:
        return reply.read()


def started(port, log):
    environment = {**os.environ, "LITELLM_MASTER_KEY": KEY}
    command = [os.path.join(HERE, "run.sh"), str(port), os.path.join(HERE, "scope-replies")]
    proxy = subprocess.Popen(["sh", *command], stdout=log, stderr=log, env=environment, start_new_session=True)
    for _ in range(240):
        if proxy.poll() is not None:
            break
        try:
            ask("http://127.0.0.1:%d" % port, "/health/liveliness")
            return proxy
        except OSError:
            time.sleep(0.5)
    stop(proxy)
    sys.exit("the proxy did not start; its environment needs litellm[proxy], and PYTHON must name it (see run.sh)")


def stop(proxy):
    if proxy.poll() is None:
        os.killpg(proxy.pid, signal.SIGTERM)
        proxy.wait(timeout=30)


def faults(text, mode, model, served):
    """What is wrong with a document, and with how it came about."""
    front, _, body = text.removeprefix("---\n").partition("\n---\n")
    field = lambda name: (re.findall(r'^%s: "?(.*?)"?$' % name, front, re.M) or [""])[0]
    wrong = []

    def must(holds, what):
        if not holds:
            wrong.append(what)

    must(field("model_used") == model, "model_used is %r" % field("model_used"))
    must(field("mode") == mode, "mode is %r" % field("mode"))
    must(field("scope_question") == QUESTION, "scope_question is %r" % field("scope_question"))
    # Two citations are wrong, so the document is not complete, and for that reason alone.
    must(field("complete") == "false", "complete is %r" % field("complete"))
    must(field("incomplete_reason") == "2 citations could not be verified", "incomplete_reason is %r" % field("incomplete_reason"))
    spending = (re.findall(r"^model_spending: (\{.*\})$", front, re.M) or ["{}"])[0]
    try:
        spending = json.loads(spending)
    except ValueError:
        must(False, "model_spending is %r" % spending)
        spending = {}
    for name in ("input_tokens", "output_tokens"):
        must(isinstance(spending.get(name), int) and spending[name] > 0, "%s is %r" % (name, spending.get(name)))
    for section in ("Summary", "What stops it", "Key Files", "Code References"):
        must("\n## %s\n" % section in "\n" + body, "there is no section " + section)
    must("`lending/desk.py:21-25`" in body, "a true citation is gone")
    must("`Store.is_awaited` (`lending/store.py:15-17`)" in body, "a drifted range is not repaired")
    must("`days_allowed` (`lending/rules.py:12-15`)" in body, "a misspelt path is not repaired")
    for gone in ("lending/store.py:2-3", "lending/rule.py"):
        must(gone not in body, "%s is still there" % gone)
    must(body.count("⚠ unverified:") == 2, "%d citations are marked" % body.count("⚠ unverified:"))
    must(re.search(r"`lending/fines\.py:1-9` \(⚠ unverified:|lending/fines\.py:1-9`\)? ?\(?⚠ unverified:", body), "a file that is not there is not marked")
    must(re.search(r"`lending/rules\.py:900-910` \(⚠ unverified:", body), "a range behind the end is not marked")
    references = body.partition("## Code References")[2]
    must("fines.py" not in references and "900" not in references, "what is marked is listed as a reference")
    must(served == REQUESTS[mode], "%d requests instead of %d" % (served, REQUESTS[mode]))
    return wrong, spending.get("input_tokens", ""), spending.get("output_tokens", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peelback")
    parser.add_argument("--keep", help="a folder for the documents")
    options = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base, failed = "http://127.0.0.1:%d" % port, False
    with tempfile.TemporaryDirectory() as home:
        root = os.path.join(home, "lending")
        for path, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w") as out:
                out.write(text)
        keep = os.path.abspath(options.keep or os.path.join(home, "documents"))
        os.makedirs(keep, exist_ok=True)
        log_path = os.path.join(home, "proxy.log")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PEELBACK_")}
        environment.update(HOME=home, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=os.path.join(home, "cache"), LITELLM_API_KEY=KEY)
        with open(log_path, "w") as log:
            proxy = started(port, log)
        try:
            print("| mode | protocol | exit | requests | tokens in | tokens out | document |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
            for mode in ("pipeline", "agent"):
                for provider, (protocol, path) in PROTOCOLS.items():
                    model = "%s/scripted/%s" % (provider, mode)
                    ask(base, "/v1/chat/completions", {"model": "scripted/" + mode, "messages": [{"role": "user", "content": "reset"}]})
                    served = lambda: len(re.findall(r'"POST %s[ ?].* 200' % path, open(log_path).read()))
                    before = served()
                    document = os.path.join(keep, "%s-%s.md" % (mode, provider))
                    if os.path.exists(document):
                        os.remove(document)
                    done = subprocess.run([options.peelback, "scope", root, "-q", QUESTION, "--mode", mode, "--model", model,
                                           "--base-url", base, "-o", document], capture_output=True, text=True, env=environment)
                    wrong, tokens_in, tokens_out = ["exit %d: %s" % (done.returncode, done.stderr.strip())], "", ""
                    if done.returncode == 0 and os.path.exists(document):
                        with open(document) as text:
                            wrong, tokens_in, tokens_out = faults(text.read(), mode, model, served() - before)
                    failed = failed or bool(wrong)
                    verdict = "; ".join(wrong) or "2 citations repaired, 2 marked"
                    print("| %s | %s | %d | %d | %s | %s | %s |" % (
                        mode, protocol, done.returncode, served() - before, tokens_in, tokens_out, verdict), flush=True)
        finally:
            stop(proxy)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
