#!/usr/bin/env python3
"""Scores runs: score.py RUNS [--each]; or checks the tasks themselves: score.py --check PROJECTS [--peelback BINARY]

RUNS has ID.TIER.log, what the run's calls and changes were, ID.TIER/, its copy of the project, and ID.TIER.json, the agent's last
message. A fix or refactoring succeeds where its hidden check (checks/ID.py) passes and only the expected files changed; of the answers
of the others the share counts that is right. Ends the servers of the runs that it scores."""
import argparse, json, os, re, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "tools"))
from call import stop
from server import Server
from start import GROUPS, TIERS, copy_project, hashes, replace, tasks

CHECK_SECONDS = 60


def bare(text):
    """The last part of a name, however it is qualified: `A.b`, `a::b()`, `A#b`."""
    parts = [part for part in re.split(r"[^\w$]+", re.sub(r"\(.*$", "", str(text).strip(" `\"'"))) if part]
    return parts[-1] if parts else ""


def last_answers(text):
    """The answers of the last object with the key `answer` or `answers` in a text; None where there is none."""
    decoder, found = json.JSONDecoder(), None
    for start in re.finditer(r"\{\s*\"answers?\"", text):
        try:
            value = decoder.raw_decode(text, start.start())[0]
        except ValueError:
            continue
        answers = value.get("answers", [value.get("answer")])
        found = answers if isinstance(answers, list) else [answers]
    return found


def is_right(wanted, answer):
    if answer is None:
        return False
    if wanted["type"] == "number":
        number = re.search(r"-?\d+", str(answer))
        return bool(number) and int(number[0]) == wanted["answer"]
    if wanted["type"] == "name":
        return bare(answer) == wanted["answer"]
    path, line = wanted["at"].rsplit(":", 1)
    given = re.fullmatch(r"`?(?:\./)*(.*?):(\d+)(?:[-:]\d+)?`?", str(answer).strip())
    return bool(given) and (given[1] == path or given[1].endswith("/" + path)) and int(given[2]) == int(line)


def failed_check(task, project):
    """What the hidden check of a task says against a copy of its project; empty where it passes."""
    program = os.path.join(HERE, "checks", task["id"] + ".py")
    try:
        done = subprocess.run([sys.executable, "-B", program, project], capture_output=True, text=True, timeout=CHECK_SECONDS)
    except subprocess.TimeoutExpired:
        return "no end after %d seconds" % CHECK_SECONDS
    if done.returncode == 0:
        return ""
    return done.stdout.strip() or (done.stderr.strip().splitlines() or ["it failed"])[-1]


def score_change(task, run, log):
    """Success of a fix or refactoring, and what stands against it."""
    now = hashes(run["project"])
    changed = {path for path in {*now, *run["files"]} if now.get(path) != run["files"].get(path)}
    last = {entry["path"]: entry["hash"] for entry in log if entry["kind"] == "edit"}
    wrong = ["%s changed" % path for path in sorted(changed - set(task["files"]))]
    wrong += ["%s was not changed by .edit" % path for path in sorted(changed) if last.get(path) != now.get(path)]
    against = failed_check(task, run["project"])
    wrong += [against] if against else []
    return (0.0 if wrong else 1.0), "; ".join(wrong)


def score_answers(task, text):
    answers = last_answers(text)
    if answers is None:
        return 0.0, "no answer"
    answers = (answers + [None] * len(task["wanted"]))[:len(task["wanted"])]
    right = [is_right(wanted, answer) for wanted, answer in zip(task["wanted"], answers)]
    return sum(right) / len(right), "; ".join("%d: %s" % (at, answer) for at, (ok, answer) in enumerate(zip(right, answers), 1) if not ok)


def tokens(count):
    return -(-count // 4)


def read_runs(folder):
    with open(os.path.join(folder, "tiers.json")) as text:
        tiers = json.load(text)["tiers"]
    runs = {}
    for task in tasks():
        for tier in TIERS:
            base = os.path.join(folder, "%s.%s" % (task["id"], tier))
            if not os.path.exists(base + ".json"):
                continue
            with open(base + ".run.json") as text:
                run = json.load(text)
            stop(run)
            with open(base + ".log") as text:
                log = [json.loads(line) for line in text]
            with open(base + ".json", encoding="utf-8") as text:
                last = text.read()
            success, wrong = score_change(task, run, log) if "files" in task else score_answers(task, last)
            calls = [entry for entry in log if entry["kind"] == "call"]
            count = {kind: sum(entry["kind"] == kind for entry in log) for kind in ("edit", "refused", "server")}
            later = sum(entry["docs_bytes"] for entry in calls)
            runs[task["id"], tier] = {
                "group": task["group"], "success": success, "wrong": wrong, "turns": len(calls) + count["edit"] + count["refused"], **count,
                "calls": len(calls), "errors": sum(entry["error"] for entry in calls), "listed": tokens(len(tiers[tier]["docs"].encode())),
                "later": tokens(later), "docs": tokens(len(tiers[tier]["docs"].encode()) + later),
                "answers": tokens(sum(entry["bytes"] for entry in calls) - later)}
    return runs, tiers


COLUMNS = (("success", "success", "%.3f"), ("turns", "turns", "%.1f"), ("errors", "wrong calls", "%.2f"), ("refused", "refused", "%.2f"),
           ("listed", "docs listed", "%.0f"), ("later", "docs later", "%.0f"), ("docs", "docs in all", "%.0f"), ("answers", "answers", "%.0f"))


def mean(values):
    return statistics.fmean(values) if values else float("nan")


def table(runs, tiers):
    print("| group | docs | runs | %s |" % " | ".join(title for _, title, _ in COLUMNS))
    print("| --- | --- | --- |%s" % (" --- |" * len(COLUMNS)))
    for group in (*GROUPS, "all"):
        for tier in TIERS:
            mine = [run for (_, its), run in runs.items() if its == tier and group in (run["group"], "all")]
            if mine:
                print("| %s | %s | %d | %s |" % (group, tier, len(mine), " | ".join(form % mean([run[key] for run in mine]) for key, _, form in COLUMNS)))
    print()
    compare(runs)
    for tier in TIERS:
        print("%s: %d tokens of docs (%s by peelback's own count, o200k), %d of the server's instructions beside them" % (
            tier, tokens(len(tiers[tier]["docs"].encode())), tiers[tier]["o200k"], tokens(len(tiers[tier]["instructions"].encode()))))
    for (name, tier), run in sorted(runs.items()):
        if not run["turns"]:
            print("nothing in %s.%s.log: not a run of this bench" % (name, tier))
        if run["server"] > 1:
            print("%s.%s had %d servers: what a server does once for a session was done again" % (name, tier, run["server"]))


def compare(runs):
    """Against full docs, over the tasks that all three tiers have runs of."""
    whole = sorted({name for name, _ in runs if all((name, tier) in runs for tier in TIERS)})
    if not whole:
        return
    sums = {tier: {key: sum(runs[name, tier][key] for name in whole) for key in ("success", "turns", "docs", "answers")} for tier in TIERS}
    print("Against full docs, over the %d tasks with runs of all three:" % len(whole))
    for tier in TIERS[:2]:
        ratio = {key: sums[tier][key] / sums["full"][key] if sums["full"][key] else float("nan") for key in ("turns", "docs", "answers")}
        print("- %s: docs %+.0f%%, turns %+.0f%%, answers %+.0f%%, success %+.3f a task" % (
            tier, *(100 * (ratio[key] - 1) for key in ("docs", "turns", "answers")), (sums[tier]["success"] - sums["full"]["success"]) / len(whole)))
    print()


def each(runs):
    print("| run | success | turns | calls | edits | wrong calls | refused | docs later | answers | what was wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, tier), run in runs.items():
        print("| %s.%s | %.3f | %s | %s |" % (name, tier, run["success"], " | ".join(str(run[key]) for key in (
            "turns", "calls", "edit", "errors", "refused", "later", "answers")), run["wrong"].replace("\n", "; ").replace("|", "\\|")))


def check(projects, peelback):
    """Says which bugs, solutions and answers are not what the tasks say."""
    bad, counts = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for task in tasks():
            counts[task["group"]] = counts.get(task["group"], 0) + 1
            copy = os.path.join(folder, task["id"])
            copy_project(projects, task, copy)
            bad += ["%s: %s" % (task["id"], what) for what in (check_change(task, copy) if "files" in task else check_answers(task, copy, peelback, folder))]
    print("\n".join(bad + ["%s bad: %d" % (counts, len(bad))]))
    return bool(bad)


def check_change(task, copy):
    before = hashes(copy)
    against = failed_check(task, copy)
    if not against:
        yield "its check passes without a change"
    elif task["group"] == "fix":
        print("%s fails: %s" % (task["id"], against.splitlines()[0]))
    replace(copy, task["solution"])
    if failed_check(task, copy):
        yield "its solution fails: " + failed_check(task, copy)
    after = hashes(copy)
    if {path for path in after if after[path] != before.get(path)} != set(task["files"]):
        yield "its solution changes other files than it says"
    for at in range(len(task["solution"])):
        if len(task["solution"]) > 1:
            yield from check_part(task, copy, at)


def check_part(task, copy, at):
    """Each change of a refactoring is needed: without it, its check fails (but for tests that still hold by chance)."""
    one = task["solution"][at]
    path = os.path.join(copy, one["path"])
    with open(path, encoding="utf-8", newline="") as text:
        done = text.read()
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(done.replace(one["new"], one["old"]))
    if not failed_check(task, copy):
        yield "its check passes without the change of %r in %s" % (one["old"], one["path"])
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(done)


def check_answers(task, copy, peelback, home):
    for at, wanted in enumerate(task["wanted"], 1):
        path, line = wanted["at"].rsplit(":", 1)
        with open(os.path.join(copy, path), encoding="utf-8") as text:
            lines = text.read().split("\n")
        if int(line) > len(lines) or wanted["says"] not in lines[int(line) - 1]:
            yield "%d: %s does not say %r" % (at, wanted["at"], wanted["says"])
        right = wanted["at"] if wanted["type"] == "place" else "`A.%s()`" % wanted["answer"] if wanted["type"] == "name" else wanted["answer"]
        if not is_right(wanted, right) or is_right(wanted, "no/such/file.py:1") or is_right(wanted, None):
            yield "%d: the right answer gets no marks, or a wrong one does" % at
    if "call" in task and peelback:
        server = Server(os.path.abspath(peelback), copy, "progressive", home)
        text, failed = server.call(*task["call"])
        server.close()
        if not failed:
            yield "the call that should end in an error gives: " + text[:200]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?")
    parser.add_argument("--each", action="store_true", help="a row for each run, too")
    parser.add_argument("--check", metavar="PROJECTS")
    parser.add_argument("--peelback", help="with --check: that the first calls of `recover` do end in errors, too")
    options = parser.parse_args()
    if options.check:
        sys.exit(check(options.check, options.peelback))
    if not options.runs:
        parser.error("which runs?")
    runs, tiers = read_runs(os.path.abspath(options.runs))
    table(runs, tiers)
    if options.each:
        print()
        each(runs)


if __name__ == "__main__":
    main()
