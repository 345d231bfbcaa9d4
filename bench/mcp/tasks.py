"""Starts two calls as tasks with the Python SDK, leaves, comes back for the result of one and withdraws the other.

tasks.py URL: a server whose model takes some seconds.
"""

import asyncio
import sys
from typing import Literal

from mcp import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.types import Request, RequestParams, Result
from pydantic import ConfigDict

QUESTION = "How are the prices of a cart added up?"


class TaskHandle(Result):
    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = "task"
    taskId: str
    status: str


class TaskState(Result):
    model_config = ConfigDict(extra="allow")
    taskId: str | None = None
    status: str | None = None
    statusMessage: str | None = None
    result: dict | None = None


class TaskParams(RequestParams):
    taskId: str


class Get(Request[TaskParams, Literal["tasks/get"]]):
    name_param = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams


class Cancel(Request[TaskParams, Literal["tasks/cancel"]]):
    name_param = "taskId"
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def claims(self):
        async def resolve(handle, _):
            raise AssertionError(f"the call asked for the handle of {handle.taskId}")

        return [ResultClaim(result_type="task", model=TaskHandle, resolve=resolve)]


def open_client(url):
    return Client(url, mode="2026-07-28", extensions=[Tasks()], read_timeout_seconds=60)


async def state(client, task):
    return await client.session.send_request(Get(params=TaskParams(taskId=task)), TaskState)


async def settled(client, task):
    for _ in range(300):
        found = await state(client, task)
        if found.status != "working":
            return found
        await asyncio.sleep(0.2)
    raise AssertionError(f"{task} is still at work")


async def main(url):
    tasks = []
    async with open_client(url) as client:
        for tool, arguments in [("scope", {"question": QUESTION}), ("context", {})]:
            handle = await client.session.call_tool(tool, arguments, allow_claimed=True)
            assert isinstance(handle, TaskHandle), f"{tool} is no task: {handle}"
            tasks.append(handle.taskId)
    # The client has left. Another one comes, over a new connection.
    async with open_client(url) as client:
        kept, withdrawn = tasks
        await client.session.send_request(Cancel(params=TaskParams(taskId=withdrawn)), TaskState)
        assert (await settled(client, withdrawn)).status == "cancelled"
        found = await settled(client, kept)
        text = found.result["content"][0]["text"]
        assert found.status == "completed" and "The slow model wrote this" in text, found
    print("2 tasks started, 1 result after coming back, 1 withdrawn, 0 failures")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
