#!/usr/bin/env python3
"""Fetches the corpora of corpora.json into a folder: fetch.py [--hard] FOLDER [REPO...]

With --hard those of hard_corpora.json.

Uses the registries' own clients: pip, npm, cargo, and apt-get with dpkg-deb. Nothing that is fetched is run
by this script, except that pip asks a source distribution for its metadata."""
import glob, json, os, shutil, subprocess, sys, tarfile, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command, cwd):
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def unpack(archive, folder):
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return glob.glob(os.path.join(folder, "*"))[0]


def pypi(corpus, work):
    run("pip", "download", "--quiet", "--no-deps", "--no-binary", corpus["package"], "%(package)s==%(version)s" % corpus, cwd=work)
    return unpack(glob.glob(os.path.join(work, "*.tar.gz"))[0], os.path.join(work, "out"))


def npm(corpus, work):
    run("npm", "pack", "--silent", "%(package)s@%(version)s" % corpus, cwd=work)
    return unpack(glob.glob(os.path.join(work, "*.tgz"))[0], os.path.join(work, "out"))


def crates(corpus, work):
    with open(os.path.join(work, "Cargo.toml"), "w") as out:
        out.write('[package]\nname = "fetch"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n[dependencies]\n%(package)s = "=%(version)s"\n' % corpus)
    open(os.path.join(work, "lib.rs"), "w").close()
    run("cargo", "vendor", "--quiet", "--versioned-dirs", "out", cwd=work)
    return os.path.join(work, "out", "%(package)s-%(version)s" % corpus)


def debian(corpus, work):
    run("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", "%(package)s=%(version)s" % corpus, cwd=work)
    run("dpkg-deb", "-x", glob.glob(os.path.join(work, "*.deb"))[0], "out", cwd=work)
    return os.path.join(work, "out", corpus["folder"])


def fetch(corpus, folder):
    target = os.path.join(folder, corpus["repo"])
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work:
        source = {"pypi": pypi, "npm": npm, "crates.io": crates, "debian": debian}[corpus["registry"]](corpus, work)
        for name in corpus.get("keep") or os.listdir(source):
            place = os.path.join(source, name)
            if os.path.islink(place) or name in (".git", ".cargo-checksum.json"):
                continue
            os.makedirs(target, exist_ok=True)
            (shutil.copytree if os.path.isdir(place) else shutil.copy)(place, os.path.join(target, name))
    for name, value in corpus.get("write", {}).items():
        with open(os.path.join(target, name), "w") as out:
            out.write(value if isinstance(value, str) else json.dumps(value, indent=2) + "\n")
    run("git", "init", "--quiet", cwd=target)
    print(corpus["repo"], sum(len(files) for _, _, files in os.walk(target)), "files")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    hard = "--hard" in sys.argv
    folder, *wanted = [argument for argument in sys.argv[1:] if argument != "--hard"]
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(HERE, "hard_corpora.json" if hard else "corpora.json")) as corpora:
        for corpus in json.load(corpora):
            if not wanted or corpus["repo"] in wanted:
                fetch(corpus, folder)


if __name__ == "__main__":
    main()
