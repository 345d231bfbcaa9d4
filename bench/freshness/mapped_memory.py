"""A file is changed through memory that is mapped to it, read by the program, and changed so again. Does a new process
with the cache see the second change?

    python3 bench/freshness/mapped_memory.py target/release/peelback 3 10 28 33 45 [--folder /dev/shm]

Each number is the seconds between the first change and the reading. Until the system has written the page to the disk,
the second change leaves no time in the file's metadata.
"""

import argparse
import concurrent.futures
import mmap
import os
import subprocess
import tempfile
import time

CALLS = [["dependencies", "--json"], ["find-files", "zebra", "--json"], ["search", "zebra", "--json"]]


def try_once(program, seconds, folder):
    with tempfile.TemporaryDirectory(dir=folder) as root, tempfile.TemporaryDirectory() as cache:
        os.mkdir(os.path.join(root, ".git"))
        for name, text in [("a.py", "import other\nx = 1\n"), ("zebra.py", "x = 1\n"), ("three.py", "x = 1\n")]:
            with open(os.path.join(root, name), "w") as file:
                file.write(text)

        def ask(*more):
            environment = dict(os.environ, PEELBACK_CACHE_DIR=cache)
            run = lambda call: subprocess.run(
                [program, *call, "--root", root, *more], capture_output=True, text=True, env=environment, check=False
            )
            answers = [run(call).stdout for call in CALLS]
            assert any(answers), "the program did not answer"
            return answers

        path = os.path.join(root, "a.py")
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
            time.sleep(1)
            memory[7:12] = b"three"
            before = os.stat(path).st_ctime_ns
            time.sleep(seconds)
            ask()
            ask()
            memory[7:12] = b"zebra"
            told = os.stat(path).st_ctime_ns != before
            known, fresh = ask(), ask("--no-cache")
        words = [f"{call[0]} {'fresh' if a == b else 'STALE'}" for call, a, b in zip(CALLS, known, fresh)]
        return f"{seconds:g} s: the time of change {'changed' if told else 'did not change'}; {', '.join(words)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("seconds", nargs="+", type=float)
    parser.add_argument("--folder", help="where the project is made, such as /dev/shm")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    with concurrent.futures.ThreadPoolExecutor(len(options.seconds)) as pool:
        for line in pool.map(lambda seconds: try_once(program, seconds, options.folder), options.seconds):
            print(line)


if __name__ == "__main__":
    main()
