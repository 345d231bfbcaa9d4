#!/usr/bin/env python3
"""Scores a command that ranks files. Standard library only.

  run.py --clones CLONES --trees TREES --name bm25 --cmd 'python3 {bench}/baselines.py bm25 {repo} {question_file}'

Placeholders (shell-quoted): {repo} the tree, without .git, {question_file} the question, outside of the tree, {bench} this folder.
Expected output, best first: {"files": [{"path", "score"}, ...]} or a path a line; paths relative to {repo}. It is taken in
the order given. Acc@k: all gold files are among the first k. MRR: of the first gold file. Trees are made once and kept."""
import argparse, json, os, shlex, shutil, signal, statistics, subprocess, sys, tempfile, time
from history import HERE, clone, git, message, names, question

KS = (1, 3, 5, 10)


def tree(case, clones, trees):
    """The files of the commit's parent. Links, submodules and blobs that the clone lacks are left out."""
    target = os.path.join(trees, case["repo"].replace("/", "+"), case["commit"][:12])
    if os.path.isdir(target):
        return target
    folder, part = clone(clones, case["repo"]), target + ".part"
    shutil.rmtree(part, ignore_errors=True)
    entries = [entry.split(b"\t", 1) for entry in git(folder, "ls-tree", "-rz", case["commit"] + "^").split(b"\0") if entry]
    entries = [(kind.split(), os.fsdecode(path)) for kind, path in entries]
    wanted = [(kind[2], path) for kind, path in entries if kind[1] == b"blob" and kind[0] != b"120000"]
    with tempfile.TemporaryFile() as asked:
        asked.writelines(blob + b"\n" for blob, _ in wanted)
        asked.seek(0)
        with subprocess.Popen(["git", "--git-dir", folder, "cat-file", "--batch"], stdin=asked, stdout=subprocess.PIPE) as process:
            for _, path in wanted:
                head = process.stdout.readline().split()
                if head[-1] == b"missing":
                    continue
                content = process.stdout.read(int(head[2]) + 1)[:-1]
                place = os.path.join(part, path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as out:
                    out.write(content)
    for path in case["gold"]:
        if not os.path.isfile(os.path.join(part, path)):
            raise RuntimeError("%s %s lacks %s" % (case["repo"], case["commit"], path))
    os.rename(part, target)
    return target


def ranked(output, repo):
    try:
        data = json.loads(output)
        found = data.get("files", []) if isinstance(data, dict) else data
    except ValueError:
        found = [line.strip() for line in output.splitlines() if line.strip()]
    paths = {}
    for item in found:
        path = item["path"] if isinstance(item, dict) else str(item)
        path = os.path.normpath(os.path.relpath(path, repo) if os.path.isabs(path) else path)
        paths.setdefault(path)
    return list(paths)


def ask(case, options):
    repo = tree(case, options.clones, options.trees)
    text = question(message(clone(options.clones, case["repo"]), case["commit"]))
    found, error, began = [], None, 0
    with tempfile.TemporaryDirectory() as work, open(os.path.join(work, "question.txt"), "w", encoding="utf-8") as out:
        out.write(text)
        out.close()
        command = options.cmd
        for key, value in {"repo": repo, "question_file": out.name, "bench": HERE}.items():
            command = command.replace("{%s}" % key, shlex.quote(value))
        began = time.perf_counter()
        with subprocess.Popen(command, shell=True, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as process:
            try:
                answer, complaint = process.communicate(timeout=options.timeout)
                if process.returncode:
                    error = "exit %d: %s" % (process.returncode, complaint.decode("utf-8", "replace").strip()[-160:])
                else:
                    found = ranked(answer.decode("utf-8", "replace"), repo)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                error = "timeout"
            except Exception as problem:
                error = repr(problem)[:160]
        seconds = time.perf_counter() - began
    places = [found.index(path) + 1 if path in found else None for path in case["gold"]]
    return {**case, "places": places, "seconds": round(seconds, 3), "error": error, "named": any(names(text, path) for path in case["gold"]),
            "first": found[:10]}


def summary(rows):
    out = {"cases": len(rows)}
    for k in KS:
        out["acc@%d" % k] = sum(all(place and place <= k for place in row["places"]) for row in rows) / len(rows)
    out["mrr"] = sum(max((1 / place for place in row["places"] if place), default=0) for row in rows) / len(rows)
    out["named"] = sum(row["named"] for row in rows) / len(rows)
    out["seconds"] = statistics.median(row["seconds"] for row in rows)
    out["failed"] = sum(row["error"] is not None for row in rows)
    return out


def show(name, s):
    print("%-24s %5d | %s | %5.3f | %6.1f %8.2f %6d" % (name, s["cases"], " ".join("%6.1f" % (100 * s["acc@%d" % k]) for k in KS), s["mrr"],
                                                     100 * s["named"], s["seconds"], s["failed"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clones", required=True, help="what fetch.py filled")
    parser.add_argument("--trees", required=True, help="a folder for the trees")
    parser.add_argument("--name", default="run")
    parser.add_argument("--cmd", required=True)
    parser.add_argument("--cases", default=os.path.join(HERE, "cases.jsonl"))
    parser.add_argument("--repo", help="only this repository")
    parser.add_argument("--language")
    parser.add_argument("--limit", type=int, help="only the first of each repository")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--warm", action="store_true", help="ask every question once before, so that what the command keeps is there")
    parser.add_argument("--json", help="write all numbers and the place of every gold file here")
    options = parser.parse_args()
    options.clones, options.trees = os.path.abspath(options.clones), os.path.abspath(options.trees)

    with open(options.cases) as lines:
        cases = [json.loads(line) for line in lines]
    cases = [case for case in cases if options.repo in (None, case["repo"]) and options.language in (None, case["language"])]
    by_repo = {}
    for case in cases:
        by_repo.setdefault(case["repo"], []).append(case)
    rows, summaries = [], {}
    print("%-24s %5s | %s | %5s | %6s %8s %6s" % (options.name, "cases", " ".join("%6s" % ("Acc@%d" % k) for k in KS), "MRR", "named%", "seconds", "failed"))
    for repo, asked in by_repo.items():
        done = []
        for case in asked[:options.limit]:
            for _ in range(1 + options.warm):
                row = ask(case, options)
            done.append(row)
        rows += done
        summaries[repo] = summary(done)
        show(repo, summaries[repo])
        sys.stdout.flush()
    if not rows:
        sys.exit("no cases")
    summaries["all"] = summary(rows)
    show("all", summaries["all"])
    unnamed = [row for row in rows if not row["named"]]
    if unnamed:
        summaries["no file named"] = summary(unnamed)
        show("no file named", summaries["no file named"])
    for row in rows:
        if row["error"]:
            print("  failed", row["repo"], row["commit"][:12], row["error"])
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"name": options.name, "cmd": options.cmd, "summaries": summaries, "rows": rows}, out, indent=1)


if __name__ == "__main__":
    main()
