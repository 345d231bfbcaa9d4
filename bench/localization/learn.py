#!/usr/bin/env python3
"""Learns the weights of the passages' features: learn.py DUMP... [--drop NAME,...]. Needs numpy.

A DUMP is what dump.py wrote: for each question its candidates with their features, in the order of the first ranking, and which
are wanted. The weighted sum is fitted to put a wanted candidate first (softmax over the candidates of a question). A feature
of AGREEMENT has no negative weight: questions that avoid the words of a name must not teach that such words are bad.
Nothing is learned from the projects of HELD_OUT, whatever the dumps hold. It is judged on projects that it has not seen: each
project belongs to one of eight folds by its name, and those held out are judged by what all others taught. Prints the figures
of the first order and of the second, by set (those held out by themselves) and by project, and the weights fitted on all that
may be learned from, as Rust writes them."""
import argparse, collections, hashlib, json, os
import numpy as np

FOLDS = 8
AGREEMENT = "first words mention file kind covered_by_owner covered_by_all name_precision two_words called path".split()
# `train` is for settings, and judges what the others taught.
LEARNED_FROM = ("questions", "learn", "subjects of learn")
# The projects of the bug reports, beside those of repositories.json.
REPORTS = """astropy/astropy django/django matplotlib/matplotlib mwaskom/seaborn pallets/flask psf/requests pydata/xarray pylint-dev/pylint
    pytest-dev/pytest scikit-learn/scikit-learn sphinx-doc/sphinx sympy/sympy""".split()


def held_out():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "repositories.json")) as text:
        repositories = json.load(text)
    return {*REPORTS, *(entry["repo"] for name in ("cases", "unseen") for entry in repositories.get(name, ()))}


def fold(repo):
    return int(hashlib.sha256(repo.encode()).hexdigest(), 16) % FOLDS


def load(paths, drop, refused):
    cases, names = [], None
    for path in paths:
        for row in map(json.loads, open(path)):
            for _, _, features in row["rows"]:
                names = names or [name for name in features if name not in drop]
            x = [[features[name] for name in names] for _, _, features in row["rows"]]
            is_held_out = row["repo"] in refused
            if is_held_out and row["set"] in ("train", "learn"):
                raise SystemExit("%s is a project of a test set: nothing may be learned from it" % row["repo"])
            name = row["set"] + (" held out" if is_held_out else "")
            is_learned_from = not is_held_out and row["set"] in LEARNED_FROM
            cases.append({"set": name, "repo": row["repo"], "id": row["id"], "learn": is_learned_from, "x": np.array(x or np.zeros((0, len(names or ()))), float),
                          "y": np.array([wanted for _, wanted, _ in row["rows"]], bool)})
    return cases, names


def fit(cases, names, penalty, worth_of_questions, rounds=250):
    use = [case for case in cases if case["learn"] and case["y"].any() and not case["y"].all()]
    x = np.concatenate([case["x"] for case in use])
    deviation = x.std(0) + 1e-9
    x = (x - x.mean(0)) / deviation
    y = np.concatenate([case["y"] for case in use])
    ends = np.cumsum([len(case["y"]) for case in use])
    starts = np.concatenate([[0], ends[:-1]])
    owner = np.repeat(np.arange(len(use)), [len(case["y"]) for case in use])
    worth = np.array([worth_of_questions if case["set"] == "questions" else 1.0 for case in use])
    worth = worth / worth.sum()
    least = np.array([0.0 if name in AGREEMENT else -np.inf for name in names])
    w, first, second = np.zeros(x.shape[1]), 0, 0
    for step in range(1, rounds + 1):
        s = x @ w
        s = s - np.maximum.reduceat(s, starts)[owner]
        e = np.exp(s)
        every, good = np.add.reduceat(e, starts), np.add.reduceat(e * y, starts)
        g = (e / every[owner] - e * y / good[owner]) * worth[owner]
        gradient = x.T @ g + penalty * w
        first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient**2
        w = np.maximum(w - 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8), least)
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
    parser.add_argument("--drop", default="", help="features to leave out, separated by commas")
    parser.add_argument("--penalty", type=float, default=0.003)
    parser.add_argument("--questions", type=float, default=3.0, help="the weight of a plain question beside a commit message")
    parser.add_argument("--by-project", action="store_true")
    options = parser.parse_args()
    cases, names = load(options.dumps, options.drop.split(","), held_out())
    every = fit(cases, names, options.penalty, options.questions)
    places = {"first": {}, "second": {}}
    for number in range(FOLDS):
        w = fit([case for case in cases if fold(case["repo"]) != number], names, options.penalty, options.questions)
        for case in cases:
            if fold(case["repo"]) == number:
                key = (case["set"], case["repo"], case["id"])
                places["first"][key] = place(np.zeros(len(case["y"])), case["y"])
                places["second"][key] = place(case["x"] @ (w if case["learn"] else every), case["y"])
    groups = collections.defaultdict(list)
    for key in places["first"]:
        groups[key[0]].append(key)
        if options.by_project:
            groups[key[0] + " " + key[1]].append(key)
    print("%-34s %-6s %4s  %5s %5s %5s %5s  %s" % ("", "", "n", "1", "3", "5", "10", "MRR"))
    for name in sorted(groups):
        for order, own in places.items():
            print("%-34s %-6s %s" % (name, order, figures([own[key] for key in groups[name]])))
        up, down = (sum((places["second"][key] or 101) < (places["first"][key] or 101) for key in groups[name]),
                    sum((places["second"][key] or 101) > (places["first"][key] or 101) for key in groups[name]))
        print("%-34s %d rise, %d fall" % (name, up, down))
    for name, weight in zip(names, every):
        print("    %s: %.3f," % (name, weight))


if __name__ == "__main__":
    main()
