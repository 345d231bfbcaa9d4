#!/usr/bin/env python3
"""Prepares runs: start.py CHECKOUTS RUNS [ID.ARM ...] [--kind KIND] [--arm text|peelback] [--peelback BINARY] [--set unfamiliar|more]

For each run of the set, all of them by default, RUNS gets ID.ARM.md, the prompt; ID.ARM.look, the one command that its agent may
use; and an empty ID.ARM.log. A run that has an answer is left alone. CHECKOUTS is what fetch.py made. Prints the prompts' paths."""
import argparse, json, os, re, shlex, shutil

HERE = os.path.dirname(os.path.abspath(__file__))
ARMS = ("text", "peelback")
SETS = {"famous": ("repositories.json", "questions.jsonl"), "unfamiliar": ("unfamiliar_projects.json", "questions_unfamiliar.jsonl"),
        "more": ("more_projects.json", "questions_more.jsonl")}


def load(name):
    with open(os.path.join(HERE, name)) as text:
        return text.read()


def parts():
    found = re.split(r"^<!-- (\w+) -->\n", load("prompt.md"), flags=re.M)
    return {name: text.strip() for name, text in zip(found[1::2], found[2::2])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts")
    parser.add_argument("runs")
    parser.add_argument("names", nargs="*", metavar="ID.ARM")
    parser.add_argument("--kind", choices=("decide", "change", "path"))
    parser.add_argument("--arm", choices=ARMS)
    parser.add_argument("--peelback", default=shutil.which("peelback"))
    parser.add_argument("--set", choices=SETS, default="famous")
    options = parser.parse_intermixed_args()
    if not options.peelback:
        parser.error("no peelback on the path: --peelback BINARY")
    projects, asked = map(load, SETS[options.set])
    languages = {row["repo"]: row["language"] for row in json.loads(projects)}
    questions = [json.loads(line) for line in asked.splitlines()]
    known = {"%s.%s" % (question["id"], arm) for question in questions for arm in ARMS}
    for name in options.names:
        if name not in known:
            parser.error("no run %s" % name)
    runs = os.path.abspath(options.runs)
    os.makedirs(runs, exist_ok=True)
    text = parts()
    for question in questions:
        project = os.path.abspath(os.path.join(options.checkouts, question["repo"].replace("/", "+")))
        if not os.path.isdir(project):
            parser.error("no folder %s: fetch.py makes it" % project)
        for arm in ARMS:
            name = "%s.%s" % (question["id"], arm)
            if (options.names and name not in options.names or options.kind and question["kind"] != options.kind
                    or options.arm and arm != options.arm):
                continue
            base = os.path.join(runs, name)
            if os.path.exists(base + ".json"):
                continue
            values = {"look": base + ".look", "project": project, "language": languages[question["repo"]], "log": base + ".log",
                      "tools": text[arm], "question": question["question"], "what": text[question["kind"]]}
            with open(base + ".md", "w") as out:
                out.write(re.sub(r"\{(%s)\}" % "|".join(values), lambda found: values[found[1]], text["prompt"]) + "\n")
            with open(base + ".look", "w") as out:
                out.write("#!/bin/bash\nexport PROJECT=%s PEELBACK=%s XDG_CACHE_HOME=%s\nexec %s %s %s -- \"$@\"\n" % (
                    *map(shlex.quote, (project, os.path.abspath(options.peelback), os.path.join(runs, "cache"),
                                       os.path.join(HERE, "tools", "run.sh"), base + ".log")), arm))
            os.chmod(base + ".look", 0o755)
            open(base + ".log", "w").close()
            print(base + ".md")


if __name__ == "__main__":
    main()
