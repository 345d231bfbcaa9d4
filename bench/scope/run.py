#!/usr/bin/env python3
"""Scores documents that are written without a model: run.py FOLDER [--questions FILE] [--command TEMPLATE] [--out SCORES] [--keep DOCUMENTS]

FOLDER holds what fetch.py checked out. For each question the command writes a document to standard output; the first five
files of its section "Key Files" are held against those that the question needs. In the command, {root} is the folder of
the repository and {question} the question, both quoted."""
import argparse, json, os, re, shlex, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST = 5


def key_files(document):
    """The paths of the section "Key Files", each once, in its order."""
    section = re.search(r"^## Key Files\n(.*?)(?=^## |\Z)", document, re.M | re.S)
    paths = re.findall(r"^(?:\d+\.|-) `([^`\n]+?)(?::\d+(?:-\d+)?)?`", section.group(1) if section else "", re.M)
    return list(dict.fromkeys(paths))


def asked(command, root, question):
    words = command.format(root=shlex.quote(root), question=shlex.quote(question))
    started = time.monotonic()
    done = subprocess.run(shlex.split(words), capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s\n%s" % (words, done.stderr))
    return done.stdout, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--questions", default=os.path.join(HERE, "questions.jsonl"))
    parser.add_argument("--command", default="peelback scope {root} -q {question} --no-model -o -")
    parser.add_argument("--out", help="the table, as Markdown; by default standard output")
    parser.add_argument("--keep", help="a folder for the documents")
    parser.add_argument("--floor", type=int, default=0, help="fail if fewer questions have all their files among the first")
    options = parser.parse_args()
    with open(options.questions) as text:
        questions = [json.loads(line) for line in text]
    rows, all_there, some_there = [], 0, 0
    for question in questions:
        root = os.path.join(os.path.abspath(options.folder), question["repo"].replace("/", "+"))
        document, seconds = asked(options.command, root, question["question"])
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
            with open(os.path.join(options.keep, question["id"] + ".md"), "w") as out:
                out.write(document)
        found = key_files(document)
        places = [found.index(path) + 1 if path in found else None for path in question["needed"]]
        among = [place is not None and place <= FIRST for place in places]
        all_there, some_there = all_there + all(among), some_there + any(among)
        shown = ", ".join("%s: %s" % (os.path.basename(path), place or "not there") for path, place in zip(question["needed"], places))
        verdict = "all" if all(among) else "some" if any(among) else "none"
        rows.append("| %s | %s | %s | %s | %.1f |" % (question["id"], question["question"], shown, verdict, len(document) / 1024))
        print("%-18s %-4s %5.1f s  %s" % (question["id"], verdict, seconds, shown), file=sys.stderr)
    total = len(questions)
    lines = [
        "All needed files are among the first %d of the document in %d of %d questions, at least one in %d." % (FIRST, all_there, total, some_there),
        "",
        "| question | | place of each needed file | among the first %d | document, KB |" % FIRST,
        "| --- | --- | --- | --- | --- |",
        *rows,
        "",
    ]
    if options.out:
        with open(options.out, "w") as out:
            out.write("\n".join(lines))
    print(lines[0] if options.out else "\n".join(lines))
    sys.exit(1 if all_there < options.floor else 0)


if __name__ == "__main__":
    main()
