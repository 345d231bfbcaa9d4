#!/usr/bin/env python3
"""Are the symbols that an answer needs named to the model at the first look? first_look.py PEELBACK FOLDER [--out TABLE] [--json FILE] [--keep FOLDER]

FOLDER is what fetch_first_look.py fetched into. The questions of first_look.jsonl are put to `scope`, as pipeline and as
agent, with a model that is the script of bytes.py: a server in this process, which the program reaches through its own
provider. Its strategy is fixed, and it asks only for what it was shown.

The first look of the pipeline is its first request. That of the agent is its conversation after two turns: the question put
to find_files and search, then the outlines of the first six files. A symbol is named where its name stands as a word in the
outline of its file, or on a row about its file. `needed` lists alternatives where any of them will do.

Every promise is held against the requests that follow: what the model asked for in its first round and exists is in the
request that writes the document, and whole where a note says so. It ends with exit code 1 where a promise is not kept, or where the
share of the symbols named is below --floor."""
import argparse, json, os, re, sys, tempfile

import bytes as scripted

HERE = os.path.dirname(os.path.abspath(__file__))
OUTLINES = 6  # of the agent


class Script(scripted.Script):
    """The script of bytes.py with a wider first look of the agent."""

    def agent(self, messages):
        results = [message["content"] for message in messages if message["role"] == "tool"]
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn == 0:
            return self.call("I look for files and for symbols first.", ("find_files", {"query": self.question}), ("search", {"query": self.question}))
        if turn == 1:
            ranked = re.findall(r"^(\S+)  score ", results[0], re.M)
            found = [line for line in results[1].splitlines() if re.match(r"\S+\.\w+$", line)]
            self.outlined = list(dict.fromkeys(ranked[:4] + found + ranked))[:OUTLINES]
            return self.call("I look at the shapes of the best.", *[("outline", {"path": path}) for path in self.outlined])
        if turn == 2:
            self.first_look = list(results)
            chosen = scripted.best_symbols(self.question, list(zip(self.outlined, results[2:])), scripted.BODIES)
            return self.call("These symbols seem to decide it; I read their bodies.", *[("read_symbol", {"path": path, "name": name}) for path, name in chosen])
        bodies = list(dict.fromkeys(scripted.bodies_in("\n".join(results))))
        self.references = bodies
        return self.call("This is enough to say how it works.", ("generate_scoped_context", {
            "question": self.question,
            "relevant_file_paths": list(dict.fromkeys([path for path, *_ in bodies] + self.outlined)),
            "insights": "Nothing was read." if not bodies else "\n".join("`%s` (%s:%d-%d) does a part of it." % (name, path, first, last) for path, first, last, name in bodies),
            "code_references": [{"path": path, "line_start": first, "line_end": last, "description": name} for path, first, last, name in bodies],
        }))


def has_word(text, name):
    return re.search(r"(?<![\w$])%s(?![\w$])" % re.escape(name), text) is not None


def named_in_pipeline(request, path, name):
    """Whether the first request names a symbol: in the outline of its file, or on the row of its file."""
    blocks = scripted.fences(request["messages"])
    outlines = "".join(inner for label, inner in blocks if label == path)
    rows = "".join(line for label, inner in blocks if label == "candidates" for line in inner.splitlines() if line.startswith(path + " ") or line.startswith(path + ","))
    # The head of an outline and the path itself name no symbol.
    return has_word(outlines.partition("\n")[2] + rows[len(path):], name)


def named_in_agent(results, path, name):
    """Whether a result names a symbol: an outline of its file, or a row below its file's name."""
    for text in results:
        inner = "\n".join(block for _, block in scripted.fences(text)) or text
        about = None
        for line in inner.splitlines():
            start = re.match(r"(\S+?)(?::|  |$)", line)
            if start and "/" in start.group(1) or start and re.match(r"[\w-]+\.\w+$", start.group(1)):
                about = start.group(1)
                line = line[len(about):]
            if about == path and has_word(line, name):
                return True
    return False


def share_named(needed, is_named):
    """The needed symbols that are named, and those that are not."""
    missing = []
    for symbol in needed:
        alternatives = [symbol] if isinstance(symbol, str) else symbol
        if not any(is_named(*one.rsplit(":", 1)) for one in alternatives):
            missing.append(alternatives[0])
    return len(needed) - len(missing), missing


def is_line_shown(line, text):
    """Whether a text has the numbered line on which a symbol begins: the body of its class may hold it."""
    return line is not None and re.search(r"^%d: " % line, text, re.M) is not None


def broken_promises(script):
    """What the model was told that the writer gets, and the request that writes the document lacks."""
    rounds = [request for request in script.requests if request["part"] == "exploration"]
    writing = next((request for request in script.requests if request["part"] == "writing"), None)
    if writing is None:
        return ["no document was asked for"]
    bodies = {(path, name): (first, last) for path, first, last, name in scripted.bodies_in(writing["messages"])}
    texts = {}
    for label, inner in scripted.fences(writing["messages"]):
        texts[label] = texts.get(label, "") + inner
    second = rounds[1]["messages"] if len(rounds) > 1 else ""
    notes = "\n".join(second.partition("\n%s:\n" % heading)[2].partition("\n\n")[0] for heading in ("Not shown", "What the writer will get"))
    # What a note lists without a promise does not exist, or had no room anywhere.
    excused = [line[2:].split(" (")[0] for line in notes.splitlines() if "the writer gets" not in line]
    wrong = []
    for path, name in script.asked:
        is_there = any(known == path and own.rsplit(".")[-1] == name.rsplit(".")[-1] for known, own in bodies)
        if not is_there and "%s:%s" % (path, name) not in excused and not is_line_shown(script.lines.get((path, name)), texts.get(path, "")):
            wrong.append("the writer lacks %s:%s, which was asked for" % (path, name))
    for line in notes.splitlines():
        promise = re.match(r"- (\S+?):(\S+) \(.*the writer gets it", line)
        if not promise:
            continue
        path, name = promise.groups()
        around = [(first, last) for (known, _), (first, last) in bodies.items() if known == path and first <= script.lines.get((path, name), 0) <= last]
        if (path, name) not in bodies and not around:
            wrong.append("the writer was to get %s:%s" % (path, name))
            continue
        first, last = bodies.get((path, name)) or min(around, key=lambda lines: lines[1] - lines[0])
        lines = {int(number) for number in re.findall(r"^(\d+): ", texts[path], re.M)}
        lacking = [number for number in range(first, last + 1) if number not in lines]
        if "whole" in line and lacking:
            wrong.append("the writer was to get %s:%s whole, and lacks %d lines" % (path, name, len(lacking)))
    return wrong


class AskingScript(Script):
    """Keeps what the model asked for in its first round, where it was shown."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.asked, self.first_look, self.lines = [], [], {}

    def explore(self, text):
        is_first = not any(request["part"] == "exploration" for request in self.requests)
        reply = super().explore(text)
        if is_first:
            self.asked = [tuple(name.split(":", 1)) for name in reply["symbols_needed"]]
            for path, outline in scripted.fences(text):
                self.lines.update({(path, name): first for name, _, first, _ in scripted.rows_of(outline)})
        return reply


def measure(peelback, root, question, home, keep):
    pipeline = scripted.run(peelback, root, question, "pipeline", home, keep, {}, AskingScript)
    agent = scripted.run(peelback, root, question, "agent", home, keep, {}, AskingScript)
    rounds = [request for request in pipeline.requests if request["part"] == "exploration"]
    writing = next(request for request in pipeline.requests if request["part"] == "writing")
    named = {
        "pipeline": share_named(question["needed"], lambda *symbol: named_in_pipeline(rounds[0], *symbol)),
        "agent": share_named(question["needed"], lambda *symbol: named_in_agent(agent.first_look, *symbol)),
    }
    generating = next(request for request in agent.requests if request["generates"])
    size = scripted.size
    if keep:
        with open(os.path.join(keep, question["id"] + "-first.txt"), "w") as out:
            out.write(rounds[0]["messages"])
        with open(os.path.join(keep, question["id"] + "-agent.txt"), "w") as out:
            out.write("\n".join(agent.first_look))
    return {
        "id": question["id"], "needed": len(question["needed"]), "named": named,
        "bytes": {
            "first": size(rounds[0]["messages"]),
            "exploration": sum(size(request[name]) for request in rounds for name in ("system", "messages", "form")),
            "writing": size(writing["system"] + writing["messages"]),
            "agent_first": sum(map(size, agent.first_look)),
            "agent": size(generating["messages"]),
        },
        "broken": broken_promises(pipeline),
        "problems": pipeline.problems + agent.problems,
    }


def table(rows):
    lines = ["| project | needed symbols | named to the pipeline | named to the agent | first request, KB | exploration, KB | writing, KB | agent's first look, KB | agent when it generates, KB |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    groups = {}
    for row in rows:
        groups.setdefault(row["id"].rsplit("-", 1)[0], []).append(row)
    for name, own in [*groups.items(), ("all", rows)]:
        needed = sum(row["needed"] for row in own)
        shares = ["%.2f" % (sum(row["named"][mode][0] for row in own) / needed) for mode in ("pipeline", "agent")]
        sizes = [scripted.kb([row["bytes"][part] for row in own]) for part in ("first", "exploration", "writing", "agent_first", "agent")]
        lines.append("| %s | %d | %s | %s |" % (name, needed, " | ".join(shares), " | ".join(sizes)))
    broken = sum(len(row["broken"]) for row in rows)
    return "\n".join([*lines, "", "Promises not kept: %d." % broken, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peelback")
    parser.add_argument("folder")
    parser.add_argument("--questions", default=os.path.join(HERE, "first_look.jsonl"))
    parser.add_argument("--out")
    parser.add_argument("--json")
    parser.add_argument("--keep", help="a folder for the documents and the first looks")
    parser.add_argument("--floor", type=float, default=0.0)
    options = parser.parse_args()
    with open(options.questions) as text:
        questions = [json.loads(line) for line in text]
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory() as home:
        for question in questions:
            root = os.path.join(os.path.abspath(options.folder), question["project"])
            row = measure(os.path.abspath(options.peelback), root, question, home, options.keep and os.path.abspath(options.keep))
            rows.append(row)
            shown = ["%s %d of %d" % (mode, row["named"][mode][0], row["needed"]) for mode in ("pipeline", "agent")]
            print("%-14s %s  %s" % (row["id"], "   ".join(shown), " ".join("%s %d" % item for item in row["bytes"].items())), file=sys.stderr)
            for mode in ("pipeline", "agent"):
                for missing in row["named"][mode][1]:
                    print("    %s lacks %s" % (mode, missing), file=sys.stderr)
            for line in row["broken"]:
                print("    broken promise: " + line, file=sys.stderr)
    text = table(rows)
    scripted.write_results(options, text, rows)
    needed = sum(row["needed"] for row in rows)
    shares = [sum(row["named"][mode][0] for row in rows) / needed for mode in ("pipeline", "agent")]
    sys.exit(1 if any(row["broken"] for row in rows) or min(shares) < options.floor else 0)


if __name__ == "__main__":
    main()
