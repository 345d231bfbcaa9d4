#!/usr/bin/env python3
"""Prepares runs: start.py PROJECTS RUNS --peelback BINARY [ID.TIER ...] [--group GROUP] [--tier TIER]

For each run, all 60 by default, RUNS gets ID.TIER.md, the prompt; ID.TIER.call, by which its agent calls tools; ID.TIER.edit, by which it
changes files (fix and refactor); ID.TIER/, its own copy of the project, with the bug that a fix is about; and an empty ID.TIER.log.
A run that has an answer is left alone. PROJECTS is what fetch.py made. Prints the prompts' paths."""
import argparse, hashlib, json, os, re, shlex, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "tools"))
from call import stop
from server import Server, docs_bytes, environment, lines_of_docs

TIERS, GROUPS = ("minimal", "progressive", "full"), ("fix", "refactor", "recover", "long")


def load(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as text:
        return text.read()


def tasks():
    return [json.loads(line) for line in load("tasks.jsonl").splitlines()]


def parts():
    found = re.split(r"^<!-- (\w+) -->\n", load("prompt.md"), flags=re.M)
    return {name: text.strip() for name, text in zip(found[1::2], found[2::2])}


def replace(folder, edits):
    """Makes the edits of a task in a copy; each old text has to stand there as often as its edit says."""
    for edit in edits:
        path = os.path.join(folder, edit["path"])
        with open(path, encoding="utf-8", newline="") as text:
            before = text.read()
        if before.count(edit["old"]) != edit.get("count", 1):
            raise SystemExit("%s: %r stands there %d times" % (edit["path"], edit["old"], before.count(edit["old"])))
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(before.replace(edit["old"], edit["new"]))


def copy_project(projects, task, target):
    """A copy of the task's project with its planted bug."""
    source = os.path.join(projects, task["repo"])
    if not os.path.isdir(source):
        raise SystemExit("no folder %s: fetch.py makes it" % source)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    replace(target, task.get("plant", []))


def hashes(folder):
    """The hash of each file of a project, by its path."""
    found = {}
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", "__pycache__")]
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as data:
                found[os.path.relpath(path, folder)] = hashlib.sha256(data.read()).hexdigest()
    return found


def docs_of(peelback, tier, home):
    """What `peelback docs` prints of a tier without its own counts, and its count of tokens (o200k)."""
    with tempfile.TemporaryDirectory() as folder:
        printed = subprocess.run([peelback, "docs", "--mode", tier], cwd=folder, env=environment(home), check=True, capture_output=True, text=True).stdout
    count = re.search(r"(\d+) tokens \(o200k\)", printed)
    text = re.sub(r"\A# .*\n+.*\d+ tokens.*\n+", "", printed)
    text = re.sub(r"^(## .*?) +\(\d+ tokens\)$", r"\1", text, flags=re.M)
    return text.strip(), int(count[1]) if count else None


def measure(peelback, runs):
    """What each tier gives before the first call, and the lines of the full docs, from real servers; kept in RUNS/tiers.json."""
    home = os.path.join(runs, "home")
    os.makedirs(os.path.join(home, "config"), exist_ok=True)
    found = {"peelback": subprocess.run([peelback, "--version"], capture_output=True, text=True).stdout.strip(), "tiers": {}}
    with tempfile.TemporaryDirectory() as empty:
        for tier in TIERS:
            server = Server(peelback, empty, tier, home)
            docs, o200k = docs_of(peelback, tier, home)
            found["tiers"][tier] = {"docs": docs, "o200k": o200k, "instructions": server.instructions.strip()}
            if tier == "full":
                lines = lines_of_docs(server)
                text, failed = server.call("read_lines", {"no_such_parameter": 1})
                if not failed or not docs_bytes("read_lines", text, failed, lines):
                    print("careful: no docs were recognised in the error of a wrong call:\n" + text, file=sys.stderr)
                found["lines"] = sorted(lines)
            server.close()
    with open(os.path.join(runs, "tiers.json"), "w") as out:
        json.dump(found, out, ensure_ascii=False, indent=1)
    return found


def script(path, *words):
    with open(path, "w") as out:
        out.write("#!/bin/bash\nexec %s \"$@\"\n" % " ".join(map(shlex.quote, words)))
    os.chmod(path, 0o755)


def task_text(task):
    if task["group"] != "long":
        return task["task"]
    return "\n".join("%d. %s" % (at, question) for at, question in enumerate(task["questions"], 1))


def prepare(task, tier, projects, runs, peelback, measured, language):
    name = "%s.%s" % (task["id"], tier)
    base, text = os.path.join(runs, name), parts()
    run = {"name": name, "project": base, "peelback": peelback, "tier": tier, "log": base + ".log", "home": os.path.join(runs, "home"),
           "tiers": os.path.join(runs, "tiers.json"),
           "socket": os.path.join(tempfile.gettempdir(), "tiers-%s.sock" % hashlib.sha256(base.encode()).hexdigest()[:12])}
    stop(run)
    copy_project(projects, task, base)
    run["files"] = hashes(base)
    with open(base + ".run.json", "w") as out:
        json.dump(run, out)
    script(base + ".call", sys.executable, os.path.join(HERE, "tools", "call.py"), base + ".run.json")
    edits = task["group"] in ("fix", "refactor")
    values = {"call": base + ".call", "language": language, "instructions": measured["tiers"][tier]["instructions"],
              "docs": measured["tiers"][tier]["docs"], "task": task_text(task), "what": text[task["group"]], "edit": ""}
    if edits:
        os.makedirs(base + ".scratch", exist_ok=True)
        script(base + ".edit", sys.executable, os.path.join(HERE, "tools", "edit.py"), base + ".run.json")
        values["edit"] = "\n" + text["edit"].replace("{edit_command}", base + ".edit").replace("{scratch}", base + ".scratch") + "\n"
    with open(base + ".md", "w", encoding="utf-8") as out:
        out.write(re.sub(r"\{(%s)\}" % "|".join(values), lambda found: values[found[1]], text["prompt"]) + "\n")
    open(base + ".log", "w").close()
    return base + ".md"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects")
    parser.add_argument("runs")
    parser.add_argument("names", nargs="*", metavar="ID.TIER")
    parser.add_argument("--group", choices=GROUPS)
    parser.add_argument("--tier", choices=TIERS)
    parser.add_argument("--peelback", default=shutil.which("peelback"))
    options = parser.parse_intermixed_args()
    if not options.peelback:
        parser.error("no peelback on the path: --peelback BINARY")
    known = {"%s.%s" % (task["id"], tier) for task in tasks() for tier in TIERS}
    for name in options.names:
        if name not in known:
            parser.error("no run %s" % name)
    runs, peelback = os.path.abspath(options.runs), os.path.abspath(options.peelback)
    os.makedirs(runs, exist_ok=True)
    measured = measure(peelback, runs)
    languages = {project["repo"]: project["language"] for project in json.loads(load("projects.json"))}
    for task in tasks():
        for tier in TIERS:
            name = "%s.%s" % (task["id"], tier)
            if (options.names and name not in options.names or options.group and task["group"] != options.group
                    or options.tier and tier != options.tier or os.path.exists(os.path.join(runs, name + ".json"))):
                continue
            print(prepare(task, tier, options.projects, runs, peelback, measured, languages[task["repo"]]))


if __name__ == "__main__":
    main()
