#!/bin/bash
# Runs one command of an agent in the project's folder, prints what it prints, and writes down how much that was.
#
#   PROJECT=FOLDER run.sh LOG text|peelback -- COMMAND...
#
# COMMAND is either words or one quoted text, which may be a pipeline: run.sh LOG text -- 'rg -n foo src | head -20'
# PEELBACK: the binary of the arm `peelback`.
exec python3 "$(dirname "$(readlink -f "$0")")/run.py" "$@"
