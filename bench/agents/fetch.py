#!/usr/bin/env python3
"""Checks out the repositories of repositories.json: fetch.py FOLDER [--mirror MIRRORS]

Each becomes FOLDER/OWNER+NAME, as bench/scope/fetch.py makes them."""
import argparse, importlib.util, json, os

HERE = os.path.dirname(os.path.abspath(__file__))


def scope_fetch():
    """bench/scope/fetch.py as a module: it has the name of this one."""
    spec = importlib.util.spec_from_file_location("scope_fetch", os.path.join(HERE, "..", "scope", "fetch.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--mirror")
    options = parser.parse_args()
    with open(os.path.join(HERE, "repositories.json")) as text:
        scope_fetch().check_out(json.load(text), options.folder, options.mirror)


if __name__ == "__main__":
    main()
