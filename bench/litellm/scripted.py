"""A provider for LiteLLM's proxy that answers as a file says, so that runs can be tried against a real server.

The model `scripted/NAME` answers from the file NAME.json in the folder that SCRIPTED_REPLIES names: a JSON list of
replies, given in their order. Each reply is an object with any of

    text          what is said
    tool_calls    a list of {"name": ..., "arguments": {...}}; ids are made here
    when          words that the request must hold (in any message), or a list of which it must hold each; a reply that
                  does not match is passed over, and stays for a later request
    stop          "stop", "length", "tool_calls" or "content_filter"; made from the rest where it is missing
    prompt_tokens, completion_tokens   the usage; made from the lengths of the texts where they are missing
    status        an HTTP status to fail with, with `message`

`{"repeat": true}` beside these keeps a reply for all further requests. Where no reply is left, the request fails with
HTTP 400, which says so. A request of the model `scripted/NAME` whose only message is `reset` begins the file anew.
"""

import json
import os
import threading
import time
import uuid

import litellm
from litellm import CustomLLM
from litellm.llms.custom_llm import CustomLLMError

_LOCK = threading.Lock()
_LEFT = {}


def _load(name):
    if not name.replace("-", "").replace("_", "").isalnum():
        raise CustomLLMError(status_code=404, message=f"no scripted model {name!r}")
    path = os.path.join(os.environ["SCRIPTED_REPLIES"], f"{name}.json")
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise CustomLLMError(status_code=404, message=f"no scripted model {name!r}: {error}") from error


def _plain(content):
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return " ".join(part.get("text") or "" for part in content if isinstance(part, dict))


def _next(name, messages):
    """The reply for a request, and the text of the request."""
    asked = "\n".join(_plain(message.get("content")) for message in messages)
    with _LOCK:
        if asked.strip() == "reset" or name not in _LEFT:
            _LEFT[name] = _load(name)
        if asked.strip() == "reset":
            return {"text": "reset"}, asked
        for place, reply in enumerate(_LEFT[name]):
            when = reply.get("when", "")
            if not all(words in asked for words in ([when] if isinstance(when, str) else when)):
                continue
            if not reply.get("repeat"):
                del _LEFT[name][place]
            if "status" in reply:
                raise CustomLLMError(status_code=reply["status"], message=reply.get("message", "scripted"))
            return reply, asked
    raise CustomLLMError(status_code=400, message=f"the script {name} has no reply left for this request")


def _answer(model, messages):
    reply, asked = _next(model.split("/")[-1], messages)
    calls = [
        {
            "id": f"call_{uuid.uuid4().hex[:12]}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call.get("arguments", {}))},
        }
        for call in reply.get("tool_calls", [])
    ]
    text = reply.get("text", "")
    text = text if isinstance(text, str) else json.dumps(text)
    prompt = reply.get("prompt_tokens", max(1, len(asked) // 4))
    completion = reply.get("completion_tokens", max(1, (len(text) + len(json.dumps(calls))) // 4))
    stop = reply.get("stop") or ("tool_calls" if calls else "stop")
    return text, calls, stop, prompt, completion


class Scripted(CustomLLM):
    def completion(self, model, messages, *args, **kwargs):
        text, calls, stop, prompt, completion = _answer(model, messages)
        message = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = calls
        return litellm.ModelResponse(
            id=f"chatcmpl-{uuid.uuid4().hex[:12]}",
            created=int(time.time()),
            model=model,
            choices=[{"index": 0, "message": message, "finish_reason": stop}],
            usage={"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
        )

    async def acompletion(self, *args, **kwargs):
        return self.completion(*args, **kwargs)

    def _chunks(self, model, messages):
        text, calls, stop, prompt, completion = _answer(model, messages)
        nothing = {"index": 0, "is_finished": False, "finish_reason": "", "usage": None, "tool_use": None}
        for word in [text[at : at + 20] for at in range(0, len(text), 20)]:
            yield {**nothing, "text": word}
        for index, call in enumerate(calls):
            yield {**nothing, "text": "", "tool_use": {**call, "index": index}}
        usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        yield {**nothing, "text": "", "is_finished": True, "finish_reason": stop, "usage": usage}

    def streaming(self, model, messages, *args, **kwargs):
        yield from self._chunks(model, messages)

    async def astreaming(self, model, messages, *args, **kwargs):
        for chunk in self._chunks(model, messages):
            yield chunk


scripted = Scripted()
