#!/usr/bin/env python3
"""Bytes into a model: bytes.py PEELBACK FOLDER... [--questions FILE] [--out TABLE] [--json FILE] [--keep FOLDER]

Runs `scope`, as pipeline and as agent, against a model that is a script: an OpenAI-compatible server in this process, which
counts every request that it gets and chooses its replies from what it was really sent. The files that the runs looked at are
then cut at 8,000 characters each, as an agent reads that has no outlines, and both are set side by side.

FOLDER is what fetch.py checked out into, or one of its repositories. KB are 1,000 bytes of UTF-8. Tokens are o200k's where
the package tiktoken is there and has the encoding, else the program's own estimate."""
import argparse, json, os, re, statistics, subprocess, sys, tempfile, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
FILE_CHARS = 8_000  # of a file that is read whole
LIMITS = {"exploration": 30_000, "agent": 12_000}  # bytes
# How far the script goes: as the flow in the agent's instructions has it.
SYMBOLS, FURTHER_FILES = 8, 2  # what the pipeline's first round asks for
OUTLINES, BODIES = 4, 3  # what the agent looks at
WORDLESS = set("the and for are does how what when where which that this with into from two one its get gets put not any more same".split())


# What the script understands of the program's answers


def words_of(text):
    """The words of a question or a name, without those that say nothing."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)
    return {part.lower() for part in parts if len(part) > 2 and part.lower() not in WORDLESS}


def shared(wanted, text):
    """How many of the wanted words a text has; words are the same whose first four letters are."""
    stems = {word[:4] for word in words_of(text)}
    return sum(word[:4] in stems for word in wanted)


def name_of(signature):
    """The name that a row of an outline defines, without its owner."""
    text = re.sub(r"^\*?(?:@[\w.]+(?:\([^)]*\))? )*", "", signature.strip())
    text = re.sub(r"^module\.exports = (?=class|function)", "", text)
    text = re.sub(r"^func \([^)]*\) ", "func ", text)
    if text.startswith("impl"):
        # Members of an impl are asked for by the name of its type.
        found = re.match(r"impl(?:<.*?>)? (?:.* for )?([A-Za-z_]\w*)", text.partition(": ")[0])
        return found and found.group(1)
    text = re.sub(r"^(?:(?:export|default|declare|async|static|public|private|protected|readonly|abstract|get|set|pub|def|func|"
                  r"function|class|interface|struct|type|enum|namespace|const|let|var|method|field|constant|variable|fn|trait|mod|unsafe|"
                  r"pub\([a-z]+\)(?= ))(?!\w)\s*)+", "", text)
    found = re.match(r"\*?(module\.exports|[A-Za-z_$][\w$]*)", text)
    return found and found.group(1)


def is_callable(signature):
    return bool(re.search(r"\b(def|fn|func|function|method)\b|\w\(|= \(|=>", signature)) and not re.match(r"(class|interface|struct|type|field) ", signature)


def rows_of(outline):
    """The symbols of an outline: (name with its owner, signature, first line, last line)."""
    owners = []
    for line in outline.splitlines():
        row = re.match(r"( *)(\d+)(?:-(\d+))? (.+)$", line)
        name = row and name_of(row.group(4))
        if not name:
            continue
        depth, first = len(row.group(1)) // 2, int(row.group(2))
        owners = owners[:depth] + [name]
        yield ".".join(owners), row.group(4), first, int(row.group(3) or first)
        # `class Request: __init__(url) 124, copy() 333`: members on one line, with the names of their parameters.
        for member, line in re.findall(r"([\w$]+)(?: ?\([^()]*\))? (\d+)(?=,|$)", row.group(4).partition(": ")[2]):
            yield "%s.%s" % (".".join(owners), member), "method " + member, int(line), int(line) + 1


def fences(text):
    """What stands between marks: (label, text)."""
    return [(label, inner) for _, label, inner in re.findall(r'<data id=(\w+) of="([^"]*)">\n(.*?)</data id=\1>', text, re.S)]


def best_symbols(question, outlines, count):
    """The symbols whose names say most of the question, of files that come first where they say the same."""
    wanted, scored = words_of(question), []
    for place, (path, outline) in enumerate(outlines):
        for name, signature, first, last in rows_of(outline):
            score = 2 * shared(wanted, name) + shared(wanted, signature) + (2 if is_callable(signature) and last > first else 0)
            scored.append((score - place / 4, path, name))
    scored.sort(key=lambda row: -row[0])
    return list(dict.fromkeys((path, name) for _, path, name in scored))[:count]


def bodies_in(text):
    """The bodies that a text shows: (path, first line, last line, name)."""
    sheets = re.findall(r"^(\S+?):(\d+)(?:-(\d+))? \w+ (\S+)(?: \(one of .*\))?  ~", text, re.M)
    answers = re.findall(r"^\w+ (\S+)  lines (\d+)(?:-(\d+))?  ~[\d,]+ tokens  id (\S+?):", text, re.M)
    found = [(path, int(first), int(last or first), name) for path, first, last, name in sheets]
    return found + [(path, int(first), int(last or first), name) for name, first, last, path in answers]


def places_in(text):
    """The places that the exploration found worth citing: path, lines and name."""
    notes = text.partition("\nPlaces that it found worth citing:\n")[2].partition("\n\n")[0]
    return [(path, int(first), int(last), name) for path, first, last, name in re.findall(r"^- (\S+?):(\d+)-(\d+) (\S+)$", notes, re.M)]


# The script


class Script:
    """One run: what it was sent, and what it says next."""

    def __init__(self, question, caps):
        self.question, self.caps = question, caps
        self.requests = []
        self.outlined, self.references, self.problems = [], [], []

    def reply(self, body):
        system, messages = body["messages"][0]["content"], body["messages"][1:]
        if body.get("tools"):
            part, reply = "agent", self.agent(messages)
        elif body.get("response_format"):
            part, reply = "exploration", {"content": json.dumps(self.explore(messages[-1]["content"]))}
        else:
            part, reply = "writing", {"content": self.write(messages[-1]["content"])}
        tools = body.get("tools") or []
        self.requests.append({
            "part": part,
            "system": system,
            "messages": "".join(map(text_of, messages)),
            "tools": json.dumps(tools, separators=(",", ":"), ensure_ascii=False) if tools else "",
            "form": json.dumps(body["response_format"], separators=(",", ":")) if body.get("response_format") else "",
            "results": [message for message in messages if message["role"] == "tool"],
            "sent": messages,
            "generates": any(call["function"]["name"] == "generate_scoped_context" for call in reply.get("tool_calls", [])),
        })
        return reply

    # The pipeline: symbols of the outlines and one or two files more, then enough.

    def explore(self, text):
        shown = [(label, inner) for label, inner in fences(text) if label not in ("tree", "candidates", "notes")]
        reply = {"reasoning": "Their names say what the question asks for.", "symbols_needed": [], "additional_files_needed": [],
                 "sufficient_context": False, "preliminary_insights": "", "key_locations": []}
        if not any(request["part"] == "exploration" for request in self.requests):
            self.outlined = [path for path, _ in shown]
            listed = dict(fences(text)).get("candidates", "")
            listed = [re.split(r" \(~|, (?:linked|defines)", line)[0] for line in listed.splitlines()]
            chosen = best_symbols(self.question, shown, SYMBOLS)
            reply["symbols_needed"] = ["%s:%s" % one for one in chosen]
            reply["additional_files_needed"] = [path for path in listed if path not in self.outlined][:FURTHER_FILES]
            reply["preliminary_insights"] = "\n".join("`%s` in %s seems to take part in it; its body will tell how." % (name, path)
                                                      for path, name in chosen)
            return reply
        bodies = bodies_in(text)
        if not bodies:
            self.problems.append("the second round shows no body")
        missing = [line for line in text.partition("\nNot shown:\n")[2].partition("\n\n")[0].splitlines() if line.startswith("- ")]
        self.problems.extend("asked for in vain: " + line[2:] for line in missing if "the writer gets" not in line and "no room" not in line)
        reply["sufficient_context"] = True
        further = [(path, outline) for path, outline in shown if not re.match(r"\S+:\d+-\d+ ", outline)]
        reply["symbols_needed"] = ["%s:%s" % one for one in best_symbols(self.question, further, 2)]
        reply["preliminary_insights"] = "\n".join("`%s` (%s:%d-%d) does a part of it." % (name, path, first, last)
                                                  for path, first, last, name in bodies)
        reply["key_locations"] = [{"path": path, "line_start": first, "line_end": last, "description": name}
                                  for path, first, last, name in bodies]
        return reply

    def write(self, text):
        # Of the agent, the request has the places with their names, and the lines themselves without.
        shown = bodies_in(text) or places_in(text)
        lines = ["- `%s` (`%s:%d-%d`) does a part of it." % (name, path, first, last) for path, first, last, name in shown]
        key_files = ["- `%s:%d-%d` `%s`" % (path, first, last, name) for path, first, last, name in shown[:5]]
        return "## Summary\n\n%s\n\n## Key Files\n\n%s\n" % ("\n".join(lines) or "Nothing was shown.", "\n".join(key_files))

    # The agent: search, outline, drill, connect, generate.

    def agent(self, messages):
        results = [message["content"] for message in messages if message["role"] == "tool"]
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn == 0:
            return self.call("I look for the files first.", ("find_files", {"query": self.question}))
        if turn == 1:
            ranked = re.findall(r"^(\S+)  score ", results[0], re.M)
            self.outlined = ranked[:OUTLINES]
            if len(ranked) < OUTLINES:
                self.problems.append("find_files gave %d files" % len(ranked))
            return self.call("The first of these answer most of the question's words; I look at their shapes.",
                             *[("outline", {"path": path}) for path in self.outlined])
        if turn == 2:
            outlines = list(zip(self.outlined, results[1:]))
            self.chosen = best_symbols(self.question, outlines, BODIES)
            return self.call("These symbols seem to decide it; I read their bodies.",
                             *[("read_symbol", {"path": path, "name": name}) for path, name in self.chosen])
        if turn == 3:
            bodies = bodies_in("\n".join(results[-len(self.chosen):]))
            if len(bodies) < len(self.chosen):
                self.problems.append("%d of %d bodies" % (len(bodies), len(self.chosen)))
            path, _, _, name = bodies[0] if bodies else (*self.chosen[0][:1], 0, 0, self.chosen[0][1])
            return self.call("I follow the first to the code that uses it.", ("find_references", {"name": "%s:%s" % (path, name)}))
        bodies = list(dict.fromkeys(bodies_in("\n".join(results))))
        self.references = bodies
        paths = list(dict.fromkeys([path for path, *_ in bodies] + self.outlined))
        return self.call("This is enough to say how it works.", ("generate_scoped_context", {
            "question": self.question,
            "relevant_file_paths": paths,
            "insights": "\n".join("`%s` (%s:%d-%d) does a part of it." % (name, path, first, last) for path, first, last, name in bodies),
            "code_references": [{"path": path, "line_start": first, "line_end": last, "description": name}
                                for path, first, last, name in bodies],
        }))

    def call(self, text, *calls):
        start = 100 * len(self.requests)
        caps = {name: {"max_tokens": tokens} for name, tokens in self.caps.items()}
        calls = [(name, {**arguments, **caps.get(name, {})}) for name, arguments in calls]
        return {"content": text, "tool_calls": [
            {"id": "call_%d" % (start + index), "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for index, (name, arguments) in enumerate(calls)]}


def text_of(message):
    """What a model reads of a message: its text, and the names and arguments of its calls."""
    calls = [call["function"]["name"] + call["function"]["arguments"] for call in message.get("tool_calls") or []]
    return (message.get("content") or "") + "".join(calls)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            reply, status = self.server.script.reply(body), 200
        except Exception as error:  # the run must hear of it, whatever it is
            self.server.script.problems.append("the script failed: %r" % error)
            return self.send(400, {"error": {"message": "the script failed: %r" % error}})
        reason = "tool_calls" if reply.get("tool_calls") else "stop"
        self.send(status, {"id": "chatcmpl-1", "object": "chat.completion", "model": body["model"],
                           "choices": [{"index": 0, "message": {"role": "assistant", **reply}, "finish_reason": reason}]})

    def send(self, status, answer):
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


# Counting


def size(text):
    return len(text.encode())


def counter(peelback):
    """Counts tokens, and says by what."""
    try:
        import tiktoken

        encoding = tiktoken.get_encoding("o200k_base")
        return (lambda text: len(encoding.encode(text, disallowed_special=()))), "o200k by tiktoken"
    except Exception:
        pass

    def estimate(text):
        if not text:
            return 0
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "text.txt"), "w") as out:
                out.write(text)
            told = subprocess.run([peelback, "tree", "--no-cache"], cwd=folder, capture_output=True, text=True, check=True).stdout
        return int(re.search(r"^text\.txt .*~([\d,]+) tokens", told, re.M).group(1).replace(",", ""))

    return estimate, "o200k, estimated by the program"


def whole(root, paths):
    """Files as they are read without outlines, cut."""
    texts = []
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8", errors="replace", newline="") as file:
            texts.append(file.read()[:FILE_CHARS])
    return texts


def document_problems(text):
    """Why a document is not complete, as its front matter tells."""
    front = text.removeprefix("---\n").partition("\n---\n")[0]
    if re.search(r"^complete: true$", front, re.M):
        return []
    reason = re.search(r'^incomplete_reason: "?(.*?)"?$', front, re.M)
    reason = reason.group(1) if reason else "no reason is told"
    marked = re.search(r"(\d+) citations? could not be verified", reason)
    return ["the document is not complete: " + reason] + (["%s citations are marked" % marked.group(1)] if marked else [])


def run(peelback, root, question, mode, home, keep, caps, kind=Script):
    script = kind(question["question"], caps)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.script = script
    threading.Thread(target=server.serve_forever, daemon=True).start()
    document = os.path.join(keep or home, "%s-%s.md" % (question["id"], mode))
    if os.path.exists(document):
        os.remove(document)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PEELBACK_") and "_API_KEY" not in name}
    environment.update(HOME=home, XDG_CONFIG_HOME=os.path.join(home, "config"), XDG_CACHE_HOME=os.path.join(home, "cache"))
    command = [peelback, "scope", root, "-q", question["question"], "--mode", mode, "--model", "compatible/script",
               "--base-url", "http://127.0.0.1:%d/v1" % server.server_port, "--tpm", "10000000", "-o", document]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    server.shutdown()
    server.server_close()
    if done.returncode or script.problems and any("script failed" in problem for problem in script.problems):
        sys.exit("%s, %s: exit %d\n%s\n%s" % (question["id"], mode, done.returncode, done.stderr, script.problems))
    with open(document) as file:
        text = file.read()
    script.problems.extend(document_problems(text))
    for problem in script.problems:
        print("  %s, %s: %s" % (question["id"], mode, problem), file=sys.stderr)
    return script


def measured(count, *texts):
    text = "".join(texts)
    return {"bytes": size(text), "tokens": count(text)}


def pipeline_row(script, root, count):
    rounds = [request for request in script.requests if request["part"] == "exploration"]
    writing = next(request for request in script.requests if request["part"] == "writing")
    parts = [request[name] for request in rounds for name in ("system", "messages", "form")]
    texts = whole(root, script.outlined)
    return {
        "rounds": len(rounds),
        "files": len(texts),
        "exploration": measured(count, *parts),
        "shown": measured(count, *[request["messages"] for request in rounds]),
        "each": [{name: size(request[name]) for name in ("system", "messages", "form")} for request in rounds],
        "parts": {label: size(inner) for label, inner in fences(rounds[0]["messages"])},
        "writing": measured(count, writing["system"], writing["messages"]),
        "whole": measured(count, *texts),
        "problems": script.problems,
    }


def agent_row(script, root, count):
    last = next(request for request in script.requests if request["generates"])
    looked = [path for path, *_ in script.references]
    files = list(dict.fromkeys(script.outlined + looked))
    # The same conversation with files in the place of outlines and bodies.
    names = {call["id"]: call["function"]["name"] for message in last["sent"] for call in message.get("tool_calls") or []}
    kept = [message for message in last["sent"] if names.get(message.get("tool_call_id")) not in ("outline", "read_symbol")]
    results = {}
    for message in last["results"]:
        results.setdefault(names[message["tool_call_id"]], []).append(size(message["content"]))
    return {
        "turns": sum(request["part"] == "agent" for request in script.requests),
        "files": len(files),
        "agent": measured(count, last["messages"]),
        "results": results,
        "fixed": measured(count, last["system"], last["tools"]),
        "system": size(last["system"]),
        "tools": size(last["tools"]),
        "whole": measured(count, *map(text_of, kept), *whole(root, files)),
        "problems": script.problems,
    }


# The table


def kb(numbers):
    return "%.1f / %.1f" % (max(numbers) / 1000, statistics.median(numbers) / 1000)


def tokens(numbers):
    return "{:,} / {:,}".format(max(numbers), round(statistics.median(numbers)))


def both(rows, name):
    return "%s | %s" % (kb([row[name]["bytes"] for row in rows]), tokens([row[name]["tokens"] for row in rows]))


def table(found, by):
    lines = ["| most / median of the questions | questions | exploration, KB | tokens | without instructions, KB | tokens | the 12 files whole, KB | tokens | writing, KB | tokens |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for repo, rows in found.items():
        rows = [pipeline for pipeline, _ in rows]
        cells = " | ".join(both(rows, name) for name in ("exploration", "shown", "whole", "writing"))
        lines.append("| %s | %d | %s |" % (repo, len(rows), cells))
    lines += ["", "| most / median of the questions | files | agent when it generates, KB | tokens | with whole files, KB | tokens | system and tools, KB | tokens |",
              "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for repo, rows in found.items():
        rows = [agent for _, agent in rows]
        files = [row["files"] for row in rows]
        shown = str(files[0]) if len(set(files)) == 1 else "%d to %d" % (min(files), max(files))
        lines.append("| %s | %s | %s | %s | %s |" % (repo, shown, both(rows, "agent"), both(rows, "whole"), both(rows, "fixed")))
    return "\n".join([*lines, "", "Tokens: %s." % by, ""])


def write_results(options, text, rows):
    """Writes the table to --out, or prints it, and the rows behind it to --json."""
    if options.out:
        with open(options.out, "w") as out:
            out.write(text)
    else:
        print(text)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peelback")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--questions", default=os.path.join(HERE, "questions.jsonl"))
    parser.add_argument("--out", help="the table, as Markdown; by default standard output")
    parser.add_argument("--json", help="a file for all figures")
    parser.add_argument("--keep", help="a folder for the documents")
    parser.add_argument("--cap", action="append", default=[], metavar="TOOL=TOKENS",
                        help="the agent asks for at most so many tokens of a tool: to try limits before they are built in")
    options = parser.parse_args()
    options.cap = {name: int(tokens) for name, tokens in (cap.split("=") for cap in options.cap)}
    peelback = os.path.abspath(options.peelback)
    count, by = counter(peelback)
    with open(options.questions) as text:
        questions = [json.loads(line) for line in text]
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    found, over = {}, []
    with tempfile.TemporaryDirectory() as home:
        for question in questions:
            name = question["repo"].replace("/", "+")
            places = [folder if os.path.basename(os.path.abspath(folder)) == name else os.path.join(folder, name) for folder in options.folders]
            root = next((os.path.abspath(place) for place in places if os.path.isdir(place)), None)
            if not root:
                sys.exit("no folder holds %s: fetch.py checks it out" % name)
            keep = options.keep and os.path.abspath(options.keep)
            pipeline = pipeline_row(run(peelback, root, question, "pipeline", home, keep, options.cap), root, count)
            agent = agent_row(run(peelback, root, question, "agent", home, keep, options.cap), root, count)
            found.setdefault(question["repo"], []).append((pipeline, agent))
            print("%-16s exploration %6d of %6d bytes (%d files, %d rounds)   agent %6d of %6d bytes (%d files, %d turns)" % (
                question["id"], pipeline["exploration"]["bytes"], pipeline["whole"]["bytes"], pipeline["files"], pipeline["rounds"],
                agent["agent"]["bytes"], agent["whole"]["bytes"], agent["files"], agent["turns"]), file=sys.stderr)
            for kind, row in (("exploration", pipeline), ("agent", agent)):
                if row[kind]["bytes"] > LIMITS[kind]:
                    over.append("%s: %s %d bytes" % (question["id"], kind, row[kind]["bytes"]))
            pipeline["id"] = agent["id"] = question["id"]
    text = table(found, by)
    write_results(options, text, found)
    for line in over:
        print("over its limit: " + line, file=sys.stderr)
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
