"""Lists the tools of an MCP server and calls each with the Python SDK.

client.py MODE CALLS URL | client.py MODE CALLS COMMAND ARG ...
MODE: auto, legacy, 2026-07-28. CALLS: a JSON file of {tool: arguments or [arguments, ...]}, with every tool in it.
"""

import asyncio
import json
import os
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters


async def main(mode, calls, target):
    with open(calls) as file:
        calls = json.load(file)
    is_url = target[0].startswith("http")
    server = target[0] if is_url else StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
    failures = 0
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        if sorted(names) != sorted(calls):
            print(f"FAIL the list is {names}")
            failures += 1
        made = 0
        for name, given in calls.items():
            for arguments in given if isinstance(given, list) else [given]:
                result = await client.call_tool(name, arguments)
                text = "".join(block.text for block in result.content if block.type == "text")
                made += 1
                if result.is_error or not text.strip():
                    print(f"FAIL {name}: {text}")
                    failures += 1
        print(f"protocol {client.protocol_version}: {len(names)} tools listed, {made} calls, {failures} failures")
    return failures


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:])) else 0)
