#!/usr/bin/env python3
"""Fetches the projects of first_look_projects.json, each in one pinned version: fetch_first_look.py FOLDER [--mirror MIRRORS]

Packages come through their own clients (pip, npm, cargo), the rest from git as fetch.py reads it. Each becomes FOLDER/PROJECT.
Nothing of them is installed or run."""
import argparse, glob, json, os, shutil, subprocess, tempfile

import fetch

HERE = os.path.dirname(os.path.abspath(__file__))


def unpack_only_folder(archive, target):
    """Unpacks an archive that holds one folder, which becomes `target`."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as part:
        shutil.unpack_archive(archive, part, filter="data")
        (inner,) = os.listdir(part)
        os.rename(os.path.join(part, inner), target)


def from_pypi(name, version, target, part):
    command = ["pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "%s==%s" % (name, version), "-d", part]
    subprocess.run(command, check=True)
    unpack_only_folder(glob.glob(os.path.join(part, "*.tar.gz"))[0], target)


def from_npm(name, version, target, part):
    subprocess.run(["npm", "pack", "--silent", "%s@%s" % (name, version)], cwd=part, check=True, stdout=subprocess.DEVNULL)
    archive = glob.glob(os.path.join(part, "*.tgz"))[0]
    os.rename(archive, archive[:-4] + ".tar.gz")
    unpack_only_folder(archive[:-4] + ".tar.gz", target)


def from_crates(name, version, target, part):
    os.mkdir(os.path.join(part, "src"))
    open(os.path.join(part, "src", "lib.rs"), "w").close()
    with open(os.path.join(part, "Cargo.toml"), "w") as manifest:
        manifest.write('[package]\nname = "fetched"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n%s = "=%s"\n' % (name, version))
    subprocess.run(["cargo", "vendor", "--quiet", os.path.join(part, "vendor")], cwd=part, check=True, stdout=subprocess.DEVNULL)
    shutil.copytree(os.path.join(part, "vendor", name), target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--mirror")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    with open(os.path.join(HERE, "first_look_projects.json")) as text:
        projects = json.load(text)
    for project in projects:
        target = os.path.join(os.path.abspath(options.folder), project["project"])
        if os.path.isdir(target):
            print(project["project"], "is there")
            continue
        if project["from"] == "git":
            with tempfile.TemporaryDirectory(dir=options.folder) as part:
                fetch.check_out([project], part, options.mirror)
                os.rename(os.path.join(part, project["repo"].replace("/", "+")), target)
            continue
        get = {"pypi": from_pypi, "npm": from_npm, "crates": from_crates}[project["from"]]
        with tempfile.TemporaryDirectory() as part:
            get(project["project"], project["version"], target, part)
        print(project["project"], project["version"])


if __name__ == "__main__":
    main()
