#!/bin/sh
# Starts LiteLLM's proxy on PORT of this machine with replies from files, and stays in front until it is stopped.
#
# Usage: PYTHON=venv/bin/python bench/litellm/run.sh PORT [FOLDER]
#
# The environment of $PYTHON needs: pip install 'litellm[proxy]==1.106.2'
# FOLDER holds the replies (see scripted.py); bench/litellm/replies by default. The key is sk-local unless
# LITELLM_MASTER_KEY says otherwise. It is ready when http://127.0.0.1:PORT/health/liveliness answers. Then:
#
#     PEELBACK_TEST_LITELLM=http://127.0.0.1:PORT cargo nextest run -p peelback-llm --test it litellm
set -eu
here=$(cd "$(dirname "$0")" && pwd)
port=${1:?the port}
replies=$(cd "${2:-$here/replies}" && pwd)
LITELLM_MASTER_KEY=${LITELLM_MASTER_KEY:-sk-local}
export LITELLM_MASTER_KEY SCRIPTED_REPLIES="$replies"
# It fetches nothing: not its table of prices, and no telemetry.
export LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_TELEMETRY=False PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}"
exec "${PYTHON:-python3}" -c 'import sys; from litellm import run_server; sys.exit(run_server())' \
    --config "$here/config.yaml" --host 127.0.0.1 --port "$port"
