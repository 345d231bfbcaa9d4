#!/usr/bin/env python3
"""Scores a tool's references against the cases here, or against any file of the same form. Standard library only.

  score.py --corpora DIR --tool-cmd 'peelback find-references {qual} --path {defpath} --root {repo} --limit 100000 --max-tokens 0 --json'
  score.py --corpora DIR --cases refs.a.jsonl refs.b.jsonl --split dev --lang python --tool-cmd '...'

Placeholders (shell-quoted): {repo} the corpus folder DIR/<repo>, {qual} and {symbol} the qualified and the bare name, {defpath}, {defline},
{kind}, {lang}, {id}. Expected output: {"references": [{"path", "line", "confidence"}, ...], "total"}, paths relative to {repo}.
A line is right or wrong as a whole. Lines of definitions are neutral: neither wanted nor wrong. So are those of the role `family`:
uses that reach the symbol only through a relative of it. Every row counts that the answer lists, those of confidence `name` too.
Where cases say how they are hard (`hard`), the numbers are given by hardness too, in all and for each language."""
import argparse, collections, json, os, shlex, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
EXTENSIONS = {"python": {"py"}, "typescript": {"ts", "tsx", "mts", "cts"}, "javascript": {"js", "mjs", "cjs"},
              "rust": {"rs"}, "go": {"go"}, "c": {"c", "h"}, "kotlin": {"kt", "java"}, "c_sharp": {"cs"},
              "cpp": {"h", "c", "cc", "cpp", "hpp", "inl"},
              "markup": {"ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro"}}
STRENGTH = {"resolved": 3, "likely": 2, "name": 1}
NEUTRAL = ("def", "unknown", "family")


def ratio(part, whole):
    return part / whole if whole else float("nan")


def prf(tp, fp, fn):
    p, r = ratio(tp, tp + fp), ratio(tp, tp + fn)
    return p, r, 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else float("nan")


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def number(x, width=6):
    return "%*s" % (width, "-") if x != x else "%*.3f" % (width, x)


def run_tool(case, options):
    repo = os.path.join(options.corpora, case["repo"])
    values = dict(repo=repo, qual=case["qual"], symbol=case["name"], defpath=case["path"], defline=case["line"],
                  kind=case["kind"], lang=case["lang"], id=case["id"])
    command = options.tool_cmd
    for key, value in values.items():
        command = command.replace("{%s}" % key, shlex.quote(str(value)))
    start, error, found = time.time(), None, {}
    try:
        done = subprocess.run(command, shell=True, capture_output=True, text=True, errors="replace", timeout=options.timeout)
        if done.returncode:
            error = "exit %d: %s" % (done.returncode, done.stderr.strip()[-160:])
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        if error and isinstance(answer, dict) and not done.stderr.strip():
            error += answer.get("error") or "no reference"
        references = answer if isinstance(answer, list) else answer.get("references") or []
        for reference in references:
            path = os.path.normpath(str(reference["path"]))
            if os.path.isabs(path):
                path = os.path.relpath(path, repo)
            place, confidence = (path, int(reference["line"])), reference.get("confidence") or "none"
            if STRENGTH.get(confidence, 0) >= STRENGTH.get(found.get(place), -1):
                found[place] = confidence
    except subprocess.TimeoutExpired:
        error = "timeout"
    except Exception as problem:
        error = error or repr(problem)[:160]
    return case, found, error, time.time() - start


def judge(case, found, overrides_neutral):
    locs = [((path, line), role) for path, line, role in case["locs"]]
    neutral = {place for place, role in locs if role in NEUTRAL} | {(case["path"], case["line"])}
    wanted = {place for place, role in locs if role not in NEUTRAL}
    if overrides_neutral:
        overrides = {tuple(place) for place in case.get("overrides", ())}
        neutral, wanted = neutral | overrides, wanted - overrides
    got = {place: confidence for place, confidence in found.items()
           if place[0].rsplit(".", 1)[-1] in EXTENSIONS[case["lang"]] and place not in neutral - wanted}
    right, wrong = got.keys() & wanted, got.keys() - wanted
    by = collections.Counter((got[place], place in wanted) for place in got)
    return dict(id=case["id"], lang=case["lang"], repo=case["repo"], hard=case.get("hard", []), tp=len(right), fp=len(wrong), fn=len(wanted - right),
                by={"%s/%s" % (c, "right" if ok else "wrong"): n for (c, ok), n in sorted(by.items())},
                fps=["%s:%d (%s)" % (*place, got[place]) for place in sorted(wrong)],
                fns=["%s:%d" % place for place in sorted(wanted - right)])


def summary(judged):
    tp, fp, fn = (sum(j[k] for j in judged) for k in ("tp", "fp", "fn"))
    each = [prf(j["tp"], j["fp"], j["fn"]) for j in judged]
    macro = [mean([0 if e[i] != e[i] else e[i] for e, j in zip(each, judged) if j["tp"] + j["fn"] or (i == 0 and j["fp"])]) for i in range(3)]
    by = collections.Counter()
    for j in judged:
        by.update(j["by"])
    out = dict(cases=len(judged), references=tp + fn, tp=tp, fp=fp, fn=fn, micro=prf(tp, fp, fn), macro=macro, by_confidence={})
    for confidence in sorted({k.split("/")[0] for k in by}, key=lambda c: -STRENGTH.get(c, 0)):
        right, wrong = by[confidence + "/right"], by[confidence + "/wrong"]
        out["by_confidence"][confidence] = dict(right=right, wrong=wrong, precision=ratio(right, right + wrong), share_of_true=ratio(right, tp + fn))
    return out


def show(name, s):
    none = dict(right=0, wrong=0, precision=float("nan"), share_of_true=float("nan"))
    each = [number(s["by_confidence"].get(c, none)[key]) for c in ("resolved", "likely", "name") for key in ("precision", "share_of_true")]
    print("%-26s %5d %6d | %s %s %s | %s %s %s | %s %s | %s %s | %s %s" % (
        name, s["cases"], s["references"], *map(number, s["micro"]), *map(number, s["macro"]), *each))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool-cmd", required=True)
    parser.add_argument("--corpora", required=True, help="the folder that holds a folder for each repository")
    parser.add_argument("--cases", nargs="+", default=[os.path.join(HERE, "cases.jsonl")])
    parser.add_argument("--lang")
    parser.add_argument("--repo")
    parser.add_argument("--kind", help="only definitions of this kind, as method")
    parser.add_argument("--split", help="only cases with this split (files without splits: leave it out)")
    parser.add_argument("--overrides-neutral", action="store_true", help="definitions of overriding and implementing methods are neither wanted nor wrong")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--worst", type=int, default=10, help="list this many cases, the most wrong lines first")
    parser.add_argument("--show", type=int, default=4, help="wrong and missed lines shown for each of the worst")
    parser.add_argument("--by-repo", action="store_true")
    parser.add_argument("--json", help="write all numbers and every wrong and missed line here")
    options = parser.parse_args()

    cases = []
    for path in options.cases:
        with open(path) as lines:
            cases += [json.loads(line) for line in lines if line.strip()]
    for key in ("lang", "repo", "kind", "split"):
        value = getattr(options, key)
        if value and value != "all":
            cases = [case for case in cases if case.get(key) == value]
    missing = sorted({case["repo"] for case in cases if not os.path.isdir(os.path.join(options.corpora, case["repo"]))})
    if missing:
        print("not in %s, left out: %s" % (options.corpora, ", ".join(missing)), file=sys.stderr)
        cases = [case for case in cases if case["repo"] not in missing]
    if not cases:
        sys.exit("no cases")

    judged, errors, times = [], collections.Counter(), []
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, found, error, seconds in pool.map(lambda case: run_tool(case, options), cases):
            judged.append(judge(case, found, options.overrides_neutral))
            times.append(seconds)
            if error:
                errors[error] += 1
                judged[-1]["error"] = error

    groups = collections.defaultdict(list)
    for j in judged:
        groups[j["lang"]].append(j)
        if options.by_repo:
            groups[j["lang"] + "/" + j["repo"]].append(j)
        for kind in j["hard"]:
            groups["=" + kind].append(j)
            groups["=" + kind + "/" + j["lang"]].append(j)
    print("%-26s %5s %6s | %20s | %20s | %13s | %13s | %13s" % ("", "", "", "micro", "macro", "resolved", "likely", "name"))
    print("%-26s %5s %6s | %6s %6s %6s | %6s %6s %6s | %6s %6s | %6s %6s | %6s %6s" % ("", "cases", "refs", *("P", "R", "F1") * 2, *("P", "share") * 3))
    report = {name.lstrip("="): summary(groups[name]) for name in sorted(groups, key=lambda name: (name.startswith("="), name))}
    for name, s in report.items():
        show(name, s)
    worst = [j for j in sorted(judged, key=lambda j: -(j["fp"] + j["fn"])) if j["fp"] + j["fn"]][:options.worst]
    if worst:
        print("worst cases:")
    for j in worst:
        print("  %s  tp %d fp %d fn %d%s" % (j["id"], j["tp"], j["fp"], j["fn"], "  " + j["error"] if "error" in j else ""))
        for label, places in (("wrong ", j["fps"]), ("missed", j["fns"])):
            for place in places[:options.show]:
                print("    %s %s" % (label, place))
    times.sort()
    print("calls %d, median %.0f ms, slowest %.0f ms" % (len(times), 1000 * times[len(times) // 2], 1000 * times[-1]))
    for error, count in errors.most_common(12):
        print("errors %d: %s" % (count, error))
    if options.json:
        with open(options.json, "w") as out:
            json.dump(dict(tool=options.tool_cmd, result=report, cases=judged, errors=errors), out, indent=1)


if __name__ == "__main__":
    main()
