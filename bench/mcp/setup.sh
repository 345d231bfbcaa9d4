#!/usr/bin/env bash
# Installs the clients and the conformance suite that the server is tried with: bench/mcp/setup.sh FOLDER
# From the npm and Python registries, pinned; nothing outside FOLDER is written.
set -euo pipefail
folder=${1:?usage: bench/mcp/setup.sh FOLDER}
mkdir -p "$folder"
cd "$folder"

# The suite and the Inspector want a newer Node than distributions have.
[ -e package.json ] || echo '{ "private": true }' >package.json
npm install --silent --no-audit --no-fund --save-exact \
    node@22.23.3 \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 \
    @modelcontextprotocol/client@2.4.0 \
    @modelcontextprotocol/sdk@1.32.2 \
    @modelcontextprotocol/inspector@2.12.0
[ -e venv ] || python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
node_modules/node/bin/node --version
venv/bin/python --version
