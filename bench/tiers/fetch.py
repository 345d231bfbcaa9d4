#!/usr/bin/env python3
"""Fetches the packages of projects.json into a folder: fetch.py PROJECTS [REPO ...]

Uses pip, npm and cargo, as bench/references/fetch.py does. Nothing of the packages is run, except that pip asks a source
distribution for its metadata."""
import importlib.util, json, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))


def references_fetch():
    """bench/references/fetch.py as a module: it has the name of this one."""
    spec = importlib.util.spec_from_file_location("references_fetch", os.path.join(HERE, "..", "references", "fetch.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    fetch = references_fetch().fetch
    with open(os.path.join(HERE, "projects.json")) as text:
        for project in json.load(text):
            if not wanted or project["repo"] in wanted:
                fetch(project, folder)


if __name__ == "__main__":
    main()
