#!/usr/bin/env python3
"""Writes the candidates of today's ranking with their features, for learn.py. Standard library and git.

  dump.py OUT --rank target/release/examples/rank --clones CLONES --trees TREES --set questions|unseen|train|learn|cases [--subjects]

A line of OUT is a question with at most 100 passages in the order of the first ranking: name, whether it is wanted, features.
Wanted of a commit are the passages in which it changed a line, of a plain question the function that it is about. With --subjects
only the first line of a message is asked. TREES of the questions are those of questions.py."""
import argparse, concurrent.futures, json, os, re, subprocess, tempfile
from history import HERE, clone, git, message, question
import questions, run

HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? ", re.M)


def changed_lines(folder, commit, path):
    diff = git(folder, "diff", "-U0", "-w", commit + "^", commit, "--", path)
    return [(int(first), int(first) + max(int(count or 1), 1) - 1) for first, count in HUNK.findall(diff)]


def cases(options):
    with open(os.path.join(HERE, "repositories.json")) as text:
        repositories = json.load(text)
    repositories = {entry["repo"]: entry for name in ("questions", "unseen") for entry in repositories[name]}
    with open(os.path.join(HERE, options.set + ".jsonl")) as lines:
        for number, case in enumerate(map(json.loads, lines)):
            if options.set in ("questions", "unseen"):
                tree = questions.tree(repositories[case["repo"]], options.trees, options.clones)
                right = lambda row, case=case: row["path"] == case["path"] and questions.last_part(row["qualified_name"]) == questions.last_part(case["name"])
                yield {"set": options.set, "repo": case["repo"], "id": str(number)}, tree, case["question"], right
                continue
            folder = clone(options.clones, case["repo"])
            text = question(message(folder, case["commit"]))
            lines_of = {path: changed_lines(folder, case["commit"], path) for path in case["gold"]}
            right = lambda row, lines_of=lines_of: any(row["line"] <= last and first <= row["line_end"] for first, last in lines_of.get(row["path"], []))
            text, name = (text.split("\n")[0] + "\n", "subjects of " + options.set) if options.subjects else (text, options.set)
            yield {"set": name, "repo": case["repo"], "id": case["commit"]}, run.tree(case, options.clones, options.trees), text, right


def asked(rank, case):
    head, tree, text, right = case
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        passages = json.loads(subprocess.run([rank, tree, file.name, "--symbols", "--signals"], stdout=subprocess.PIPE, check=True).stdout)["results"]
    # Without a word to compare by, the second ranking leaves the order alone.
    if not any(row["features"]["first"] for row in passages):
        passages = []
    passages.sort(key=lambda row: -row["features"]["first"])
    return {**head, "rows": [[row["path"] + ":" + row["qualified_name"], int(right(row)), row["features"]] for row in passages]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--rank", required=True)
    parser.add_argument("--clones", required=True)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--set", choices=("questions", "unseen", "train", "learn", "cases"), required=True)
    parser.add_argument("--subjects", action="store_true")
    options = parser.parse_args()
    with open(options.out, "w") as out, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for row in pool.map(lambda case: asked(os.path.abspath(options.rank), case), cases(options)):
            out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
