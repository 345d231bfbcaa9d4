#!/usr/bin/env python3
"""Clones the repositories of repositories.json: fetch.py CLONES [--set cases|train|learn|questions|unseen] [--mirror FOLDER]

Each becomes the bare repository CLONES/OWNER+NAME/repo. With --mirror nothing is fetched from the network: it copies the
repositories of FOLDER, which has the same form. (The other scripts take such a folder as CLONES, too.)"""
import argparse, json, os, shutil, subprocess, sys
from history import HERE, clone


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones")
    parser.add_argument("--set", choices=("cases", "train", "learn", "questions", "unseen"), action="append", help="by default all")
    parser.add_argument("--mirror")
    options = parser.parse_args()
    with open(os.path.join(HERE, "repositories.json")) as text:
        repositories = json.load(text)
    missing = []
    for repository in (entry for name in options.set or ("cases", "train", "learn", "questions", "unseen") for entry in repositories[name]):
        repo, target = repository["repo"], clone(options.clones, repository["repo"])
        if not os.path.isdir(target):
            source = clone(options.mirror, repo) if options.mirror else "https://github.com/%s.git" % repo
            part = target + ".part"
            shutil.rmtree(part, ignore_errors=True)
            subprocess.run(["git", "clone", "--quiet", "--bare", source, part], check=True)
            os.rename(part, target)
        known = subprocess.run(["git", "--git-dir", target, "cat-file", "-e", repository["head"] + "^{commit}"], stderr=subprocess.DEVNULL)
        print(repo, "has" if known.returncode == 0 else "LACKS", repository["head"])
        missing += [repo] if known.returncode else []
    sys.exit("no such commit in: " + " ".join(missing) if missing else 0)


if __name__ == "__main__":
    main()
