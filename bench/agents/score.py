#!/usr/bin/env python3
"""Scores runs: score.py RUNS [--each]; or checks the questions themselves: score.py --check CHECKOUTS; with --set unfamiliar or
more those of questions_unfamiliar.jsonl or questions_more.jsonl

RUNS has ID.ARM.log, what tools/run.sh wrote, and ID.ARM.json, the agent's answer: a file of JSON, or its last message with the JSON in it.
A wanted place is found where an entry of the answer has its path and a line in its range (the narrowest range that holds the line), or
else its path and its name. What is wanted twice counts once. Neutral places count neither way; any other entry is wrong."""
import argparse, json, os, re, statistics, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ARMS, KINDS = ("text", "peelback"), ("decide", "change", "path")
QUESTIONS = {"famous": "questions.jsonl", "unfamiliar": "questions_unfamiliar.jsonl", "more": "questions_more.jsonl"}


def questions(which):
    with open(os.path.join(HERE, QUESTIONS[which])) as text:
        return [json.loads(line) for line in text if line.strip()]


def bare(symbol):
    """The last part of a name, however it is qualified: `(*T).F`, `a::B<C>::f(int)`, `A#f`, `A->f`."""
    symbol = str(symbol or "").strip()
    while re.search(r"<[^<>]*>", symbol):
        symbol = re.sub(r"<[^<>]*>", "", symbol)
    symbol = re.sub(r"(?<=[\w?!])\s*\(.*$", "", symbol)
    parts = [part for part in re.split(r"[^\w?!$~]+", symbol) if part]
    return parts[-1] if parts else ""


def last_answer(text):
    """The entries of the last object with the key `answer` in a text; None where there is none."""
    decoder, found = json.JSONDecoder(), None
    for start in re.finditer(r"\{\s*\"answer\"", text):
        try:
            value = decoder.raw_decode(text, start.start())[0]["answer"]
        except (ValueError, KeyError):
            continue
        if isinstance(value, list):
            found = [entry for entry in value if isinstance(entry, dict) and entry.get("path")]
    return found


def place(entry, repo):
    path = str(entry["path"]).replace("\\", "/")
    path = re.sub(r"^.*/%s/" % re.escape(repo.replace("/", "+")), "", path)
    line = re.match(r"\d+", str(entry.get("line") or ""))
    return re.sub(r"^(\./)+", "", path), bare(entry.get("symbol")), int(line[0]) if line else None


def choices(wanted):
    return wanted.get("any", [wanted])


def score(question, entries):
    """Precision, recall and F1, and the indices of what was found."""
    wanted = [(index, choice) for index, one in enumerate(question["wanted"]) for choice in choices(one)]
    rest = [(None, choice) for choice in question["neutral"]]
    found, wrong, seen = set(), 0, set()
    places = [(*place(entry, question["repo"]), str(entry.get("symbol"))) for entry in entries or []]
    for path, name, line, symbol in sorted(places, key=lambda at: at[2] is None):
        if (path, symbol, line) in seen:
            continue
        seen.add((path, symbol, line))
        here = [(index, choice) for index, choice in wanted + rest if choice["path"] == path]
        by_line = [(choice["lines"][1] - choice["lines"][0], order, index) for order, (index, choice) in enumerate(here)
                   if line is not None and choice["lines"][0] <= line <= choice["lines"][1]]
        by_name = [index for index, choice in here if name and bare(choice["symbol"]) == name]
        if by_line:
            index = min(by_line)[2]
            # A neutral place around or beside it does not take away what the name says.
            if index is None:
                index = next((index for index in by_name if index is not None), None)
        elif by_name:
            index = next((index for index in by_name if index is not None and index not in found), by_name[0])
        else:
            wrong += 1
            continue
        if index is not None:
            found.add(index)
    precision = len(found) / (len(found) + wrong) if found else 0.0
    recall = len(found) / len(question["wanted"])
    return {"f1": 2 * precision * recall / (precision + recall) if found else 0.0, "precision": precision, "recall": recall,
            "wrong": wrong, "found": found}


def read_log(path):
    with open(path) as text:
        lines = [json.loads(line) for line in text if line.strip()]
    return {"tokens": sum(line["tokens"] for line in lines), "calls": len(lines), "refused": sum("refused" in line for line in lines)}


def read_runs(folder, asked):
    runs = {}
    for question in asked:
        for arm in ARMS:
            base = os.path.join(folder, "%s.%s" % (question["id"], arm))
            if not os.path.exists(base + ".json"):
                continue
            with open(base + ".json") as text:
                entries = last_answer(text.read())
            log = read_log(base + ".log") if os.path.exists(base + ".log") else {"tokens": 0, "calls": 0, "refused": 0}
            runs[question["id"], arm] = {**score(question, entries), **log, "kind": question["kind"], "answered": entries is not None}
    return runs


def mean(values):
    return statistics.fmean(values) if values else float("nan")


def table(runs):
    both = {name for name, _ in runs if all((name, arm) in runs for arm in ARMS)}
    print("| kind | arm | runs | F1 | precision | recall | all found, none wrong | tokens read | calls | tokens peelback/text | median of the ratios |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for kind in (*KINDS, "all"):
        for arm in ARMS:
            mine = [run for (_, its_arm), run in runs.items() if its_arm == arm and kind in (run["kind"], "all")]
            if not mine:
                continue
            ratios = ("", "")
            if arm == "peelback":
                pairs = [(runs[name, "text"]["tokens"], runs[name, arm]["tokens"]) for name in sorted(both) if kind in (runs[name, arm]["kind"], "all")]
                pairs = [pair for pair in pairs if pair[0]]
                if pairs:
                    ratios = ("%.2f (%d pairs)" % (sum(b for _, b in pairs) / sum(a for a, _ in pairs), len(pairs)),
                              "%.2f" % statistics.median(b / a for a, b in pairs))
            print("| %s | %s | %d | %.3f | %.3f | %.3f | %d | %.0f | %.1f | %s | %s |" % (
                kind, arm, len(mine), *(mean([run[key] for run in mine]) for key in ("f1", "precision", "recall")),
                sum(run["f1"] == 1 for run in mine), *(mean([run[key] for run in mine]) for key in ("tokens", "calls")), *ratios))
    for (name, arm), run in sorted(runs.items()):
        if not run["answered"]:
            print("no answer in %s.%s.json: scored 0" % (name, arm))
        if not run["calls"]:
            print("no calls in %s.%s.log: not a run of this bench" % (name, arm))


def each(runs, asked):
    print("| run | F1 | found | wanted | wrong | missing | tokens | calls | refused |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for question in asked:
        for arm in ARMS:
            run = runs.get((question["id"], arm))
            if run:
                missing = [choices(one)[0] for index, one in enumerate(question["wanted"]) if index not in run["found"]]
                print("| %s.%s | %.3f | %d | %d | %d | %s | %d | %d | %d |" % (
                    question["id"], arm, run["f1"], len(run["found"]), len(question["wanted"]), run["wrong"],
                    ", ".join("%s:%d" % (one["path"], one["lines"][0]) for one in missing), run["tokens"], run["calls"], run["refused"]))


def check(checkouts, asked):
    """Says which places of the questions are not where they should be, and whether the wanted answers themselves get full marks."""
    bad, counts = 0, {}
    for question in asked:
        counts[question["kind"]] = counts.get(question["kind"], 0) + 1
        folder = os.path.join(checkouts, question["repo"].replace("/", "+"))
        for one in question["wanted"] + question["neutral"]:
            for choice in choices(one):
                first, last = choice["lines"]
                try:
                    with open(os.path.join(folder, choice["path"]), encoding="utf-8", errors="replace") as text:
                        lines = text.read().split("\n")
                except OSError as error:
                    lines = []
                    print(question["id"], error)
                head = "\n".join(lines[first - 1:first + 4])
                if not 1 <= first <= last or first > len(lines) or choice["symbol"] and last > len(lines) or bare(choice["symbol"]) not in head:
                    bad += 1
                    print(question["id"], "not at its place:", choice)
        for answer in ([dict(choices(one)[0], line=choices(one)[0]["lines"][0], symbol=None) for one in question["wanted"]],
                       [dict(choice, line=choice["lines"][0]) for choice in (*map(lambda one: choices(one)[0], question["wanted"]), *question["neutral"])]):
            if score(question, answer)["f1"] != 1:
                bad += 1
                print(question["id"], "its own answer gets", score(question, answer))
        off = [{"path": "no/such/file", "symbol": "nothing", "line": 1}] * 2
        if score(question, off)["f1"] != 0 or score(question, [])["f1"] != 0:
            bad += 1
            print(question["id"], "an empty or a wrong answer gets marks")
    print(counts, "bad:", bad)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?")
    parser.add_argument("--each", action="store_true", help="a row for each run, too")
    parser.add_argument("--check", metavar="CHECKOUTS")
    parser.add_argument("--set", choices=QUESTIONS, default="famous")
    options = parser.parse_args()
    asked = questions(options.set)
    if options.check:
        sys.exit(1 if check(options.check, asked) else 0)
    if not options.runs:
        parser.error("which runs?")
    runs = read_runs(options.runs, asked)
    table(runs)
    if options.each:
        print()
        each(runs, asked)


if __name__ == "__main__":
    main()
