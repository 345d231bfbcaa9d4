#!/usr/bin/env python3
"""Learns the weights of a line over features: learn.py DUMP... [--of passages|files] [--drop NAME,...]. Needs numpy.

A DUMP is what dump.py wrote: for each question its candidates with their features, in the order of today, and which are
wanted. The line is fitted to put a wanted candidate first (softmax over the candidates of a question), and judged on
projects that it has not seen: each project belongs to one of eight folds by its name. Prints the figures of the order of today and of the
line, by set and by project, and the weights fitted on all."""
import argparse, collections, hashlib, json
import numpy as np

PASSAGE_FEATURES = """words name mention file kind covered covered_by_name name_precision covered_by_header callable value header remainder
    section length private two_words forms_in_name called calls place_in_file path file_words file_best rarest raw_words""".split()
FILE_SIGNALS = "words path named mentions best quoted".split()
FILE_FEATURES = FILE_SIGNALS + ["kind"]
FOLDS = 8


def fold(repo):
    return int(hashlib.sha256(repo.encode()).hexdigest(), 16) % FOLDS


def load(paths, of):
    cases = []
    for path in paths:
        for line in open(path):
            row = json.loads(line)
            if of == "passages":
                own = row["rows"]
                features = [entry[3] for entry in own]
                wanted = [entry[1] for entry in own]
                scores = [entry[2] for entry in own]
            else:
                own = row["files"]
                features = [[entry[3][name] for name in FILE_SIGNALS] + [np.log(max(entry[3]["kind"], 0.01))] for entry in own]
                wanted = [entry[1] for entry in own]
                scores = [entry[2] for entry in own]
            width = len(PASSAGE_FEATURES if of == "passages" else FILE_FEATURES)
            cases.append({"set": row["set"], "repo": row["repo"], "id": row["id"], "x": np.array(features or np.zeros((0, width)), float).reshape(-1, width),
                          "y": np.array(wanted, bool), "today": np.array(scores, float)})
    return cases


def fit(cases, columns, penalty, rounds=400, weights_of_sets=None):
    use = [case for case in cases if case["y"].any() and not case["y"].all()]
    x = np.concatenate([case["x"][:, columns] for case in use])
    mean, deviation = x.mean(0), x.std(0) + 1e-9
    x = (x - mean) / deviation
    y = np.concatenate([case["y"] for case in use])
    ends = np.cumsum([len(case["y"]) for case in use])
    starts = np.concatenate([[0], ends[:-1]])
    owner = np.repeat(np.arange(len(use)), [len(case["y"]) for case in use])
    worth = np.array([(weights_of_sets or {}).get(case["set"], 1.0) for case in use])
    worth = worth / worth.sum()
    w, first, second = np.zeros(x.shape[1]), 0, 0
    for step in range(1, rounds + 1):
        s = x @ w
        s = s - np.maximum.reduceat(s, starts)[owner]
        e = np.exp(s)
        all_, good = np.add.reduceat(e, starts), np.add.reduceat(e * y, starts)
        g = (e / all_[owner] - e * y / good[owner]) * worth[owner]
        gradient = x.T @ g + penalty * w
        first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient**2
        w = w - 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return w / deviation


def place(scores, wanted):
    """The place of the first wanted candidate; candidates of equal score keep their order."""
    order = np.argsort(-scores, kind="stable")
    found = np.flatnonzero(wanted[order])
    return int(found[0]) + 1 if len(found) else None


def figures(places):
    n = max(len(places), 1)
    among = lambda k: 100 * sum(bool(p) and p <= k for p in places) / n
    return "%4d  %5.1f %5.1f %5.1f %5.1f  %.3f" % (len(places), among(1), among(3), among(5), among(10), sum(1 / p for p in places if p) / n)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dumps", nargs="+")
    parser.add_argument("--of", choices=("passages", "files"), default="passages")
    parser.add_argument("--drop", default="")
    parser.add_argument("--share", type=float, default=0.3, help="the weight of the line beside the order of today")
    parser.add_argument("--penalty", type=float, default=0.003)
    parser.add_argument("--questions", type=float, default=5.0, help="the weight of a plain question beside a commit message")
    parser.add_argument("--by-project", action="store_true")
    options = parser.parse_args()
    names = PASSAGE_FEATURES if options.of == "passages" else FILE_FEATURES
    columns = [i for i, name in enumerate(names) if name not in options.drop.split(",")]
    cases = load(options.dumps, options.of)
    learned_from = [case for case in cases if case["set"] not in ("dev", "cases")]
    worth = {"questions": options.questions}
    places = {"today": {}, "line": {}}
    for number in range(FOLDS):
        w = fit([case for case in learned_from if fold(case["repo"]) != number], columns, options.penalty, weights_of_sets=worth)
        for case in cases:
            if fold(case["repo"]) == number:
                key = (case["set"], case["repo"], case["id"])
                places["today"][key] = place(case["today"], case["y"])
                # `rank` writes the exponential of the order's distance from the best.
                today = 1 + np.log(case["today"] / max(case["today"].max(initial=0), 1e-9) + 1e-9)
                places["line"][key] = place(today + options.share * (case["x"][:, columns] @ w), case["y"])
    groups = collections.defaultdict(list)
    for key in places["today"]:
        groups[key[0]].append(key)
        if options.by_project:
            groups[key[0] + " " + key[1]].append(key)
    print("%-34s %-6s %4s  %5s %5s %5s %5s  %s" % ("", "", "n", "1", "3", "5", "10", "MRR"))
    for name in sorted(groups):
        for order in ("today", "line"):
            print("%-34s %-6s %s" % (name, order, figures([places[order][key] for key in groups[name]])))
    w = fit(learned_from, columns, options.penalty, weights_of_sets=worth)
    print(json.dumps({names[i]: round(float(value), 4) for i, value in zip(columns, w)}))


if __name__ == "__main__":
    main()
