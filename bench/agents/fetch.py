#!/usr/bin/env python3
"""Checks out the repositories of repositories.json: fetch.py FOLDER [--mirror MIRRORS]
or fetches the packages of unfamiliar_projects.json or more_projects.json: fetch.py FOLDER --set unfamiliar|more

A repository becomes FOLDER/OWNER+NAME, as bench/scope/fetch.py makes it; a package FOLDER/NAME, by bench/references/fetch.py,
which uses pip, npm and apt-get. Nothing of a package is run, except that pip asks a source distribution for its metadata."""
import argparse, importlib.util, json, os

HERE = os.path.dirname(os.path.abspath(__file__))


def beside(folder):
    """bench/FOLDER/fetch.py as a module: it has the name of this one."""
    spec = importlib.util.spec_from_file_location(folder + "_fetch", os.path.join(HERE, "..", folder, "fetch.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def projects(name):
    with open(os.path.join(HERE, name)) as text:
        return json.load(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--set", choices=("famous", "unfamiliar", "more"), default="famous")
    parser.add_argument("--mirror")
    options = parser.parse_args()
    if options.set == "famous":
        beside("scope").check_out(projects("repositories.json"), options.folder, options.mirror)
        return
    folder = os.path.abspath(options.folder)
    os.makedirs(folder, exist_ok=True)
    fetch = beside("references").fetch
    for project in projects(options.set + "_projects.json"):
        fetch(project, folder)


if __name__ == "__main__":
    main()
