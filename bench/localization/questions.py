#!/usr/bin/env python3
"""Scores a command that finds functions on the plain questions of questions.jsonl, or of unseen.jsonl. Standard library only.

  questions.py --trees TREES --cmd 'peelback search --root {repo} --question-file {question_file} --limit 10 --json' [--clones CLONES]
      [--questions unseen.jsonl]

TREES/NAME is the tree of OWNER/NAME at the commit of repositories.json; a tree that is missing is checked out from CLONES.
Expected output: {"results": [{"path", "qualified_name" or "name"}, ...]}, best first. A row is right if the path and the last part of the name
are those that the question is about. Prints for each project how often the right function is the first, among three and among ten rows."""
import argparse, collections, json, os, re, shlex, subprocess, tempfile
from history import HERE, clone


def last_part(name):
    return re.split(r"::|\.|#|\\", name)[-1]


def tree(repository, trees, clones):
    target = os.path.join(trees, repository["repo"].split("/")[1])
    if not os.path.isdir(target):
        os.makedirs(target + ".part", exist_ok=True)
        archive = subprocess.Popen(["git", "--git-dir", clone(clones, repository["repo"]), "archive", repository["head"]], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", target + ".part"], stdin=archive.stdout, check=True)
        if archive.wait():
            raise RuntimeError("no tree of " + repository["repo"])
        os.rename(target + ".part", target)
    return target


def ask(command, repo, question):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as text:
        text.write(question + "\n")
        text.flush()
        command = command.replace("{repo}", shlex.quote(repo)).replace("{question_file}", shlex.quote(text.name))
        return json.loads(subprocess.run(command, shell=True, stdout=subprocess.PIPE, check=True).stdout)["results"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--clones")
    parser.add_argument("--cmd", required=True)
    parser.add_argument("--questions", default=os.path.join(HERE, "questions.jsonl"))
    parser.add_argument("--show", action="store_true", help="print the place of each answer")
    options = parser.parse_args()
    with open(os.path.join(HERE, "repositories.json")) as text:
        repositories = json.load(text)
    repositories = {entry["repo"]: entry for name in ("questions", "unseen") for entry in repositories[name]}
    places = collections.defaultdict(list)
    with open(options.questions) as lines:
        for case in map(json.loads, lines):
            rows = ask(options.cmd, tree(repositories[case["repo"]], options.trees, options.clones), case["question"])
            right = [row["path"] == case["path"] and last_part(row.get("qualified_name") or row["name"]) == last_part(case["name"]) for row in rows]
            place = right.index(True) + 1 if True in right else None
            places[case["repo"]].append(place)
            if options.show:
                print(place or "-", case["repo"], case["name"], "|", case["question"])
    print("%-30s %4s %6s %6s %6s" % ("", "n", "first", "three", "ten"))
    for name, own in [*places.items(), ("all", [place for own in places.values() for place in own])]:
        print("%-30s %4d %6.2f %6.2f %6.2f" % (name, len(own), *(sum(bool(place) and place <= k for place in own) / len(own) for k in (1, 3, 10))))


if __name__ == "__main__":
    main()
