#!/usr/bin/env python3
"""Checks out the repositories of repositories.json: fetch.py FOLDER [--set questions|tuning] [--mirror MIRRORS]

Each becomes FOLDER/OWNER+NAME, the files of its commit without history. With --mirror nothing comes from the network: it reads
the bare repositories MIRRORS/OWNER+NAME/repo. Nothing of them is run, and nothing of them is committed."""
import argparse, json, os, shutil, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, *arguments], check=True, stdout=subprocess.DEVNULL)


def check_out(repositories, folder, mirror=None):
    """Checks out the repositories that are not there, each with its `repo` and `commit`."""
    for repository in repositories:
        repo, commit = repository["repo"], repository["commit"]
        target = os.path.join(folder, repo.replace("/", "+"))
        if os.path.isdir(target):
            print(repo, "is there")
            continue
        source = "https://github.com/%s.git" % repo
        if mirror:
            source = os.path.abspath(os.path.join(mirror, repo.replace("/", "+"), "repo"))
        part = target + ".part"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        git(part, "init", "--quiet")
        git(part, "fetch", "--quiet", "--depth", "1", source, commit)
        git(part, "-c", "core.symlinks=false", "checkout", "--quiet", "FETCH_HEAD")
        shutil.rmtree(os.path.join(part, ".git"))
        git(part, "init", "--quiet")
        os.rename(part, target)
        print(repo, commit)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--set", choices=("questions", "tuning"), action="append", help="by default both")
    parser.add_argument("--mirror")
    options = parser.parse_args()
    with open(os.path.join(HERE, "repositories.json")) as text:
        repositories = json.load(text)
    sets = options.set or ("questions", "tuning")
    check_out([entry for entry in repositories if entry["set"] in sets], options.folder, options.mirror)


if __name__ == "__main__":
    main()
