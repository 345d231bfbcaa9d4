#!/usr/bin/env python3
"""Writes the candidates of today's ranking with their features, for learn.py. Standard library and git.

  dump.py OUT --rank target/release/examples/rank --clones CLONES --trees TREES --set questions|train|learn [--subjects]

A line of OUT is a question with at most 100 passages and 100 files, in the order of today: name, whether it is wanted, score, features.
Wanted of a commit are the passages in which it changed a line, of a plain question the function that it is about. With --subjects
only the first line of a message is asked. TREES of the questions are those of questions.py."""
import argparse, concurrent.futures, json, os, re, subprocess, tempfile
from history import HERE, clone, git, message, question
import questions, run

FIRST_ORDER = '{"passage_line": 0.0, "passage_line_short": 0.0}'  # the order before the line that is learned
HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? ", re.M)


def changed_lines(folder, commit, path):
    diff = git(folder, "diff", "-U0", "-w", commit + "^", commit, "--", path)
    return [(int(first), int(first) + max(int(count or 1), 1) - 1) for first, count in HUNK.findall(diff)]


def cases(options):
    with open(os.path.join(HERE, "repositories.json")) as text:
        repositories = {entry["repo"]: entry for entry in json.load(text)["questions"]}
    with open(os.path.join(HERE, options.set + ".jsonl")) as lines:
        for number, case in enumerate(map(json.loads, lines)):
            if options.set == "questions":
                tree = questions.tree(repositories[case["repo"]], options.trees, options.clones)
                right = lambda row, case=case: row["path"] == case["path"] and questions.last_part(row["qualified_name"]) == questions.last_part(case["name"])
                yield {"set": "questions", "repo": case["repo"], "id": str(number)}, tree, case["question"], [case["path"]], right
                continue
            folder = clone(options.clones, case["repo"])
            text = question(message(folder, case["commit"]))
            lines_of = {path: changed_lines(folder, case["commit"], path) for path in case["gold"]}
            right = lambda row, lines_of=lines_of: any(row["line"] <= last and first <= row["line_end"] for first, last in lines_of.get(row["path"], []))
            text, name = (text.split("\n")[0] + "\n", "subjects") if options.subjects else (text, options.set)
            yield {"set": name, "repo": case["repo"], "id": case["commit"]}, run.tree(case, options.clones, options.trees), text, case["gold"], right


def asked(rank, case):
    head, tree, text, gold, right = case
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        answer = lambda *more: json.loads(subprocess.run([rank, tree, file.name, "--signals", "--weights", FIRST_ORDER, *more], stdout=subprocess.PIPE, check=True).stdout)
        passages, files = answer("--symbols")["results"], answer()["files"]
    return {**head, "rows": [[row["path"] + ":" + row["qualified_name"], int(right(row)), row["score"], row["features"]] for row in passages],
            "files": [[row["path"], int(row["path"] in gold), row["score"], row["signals"]] for row in files]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--rank", required=True)
    parser.add_argument("--clones", required=True)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--set", choices=("questions", "train", "learn"), required=True)
    parser.add_argument("--subjects", action="store_true")
    options = parser.parse_args()
    with open(options.out, "w") as out, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for row in pool.map(lambda case: asked(os.path.abspath(options.rank), case), cases(options)):
            out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
