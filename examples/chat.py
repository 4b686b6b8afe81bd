"""The model of the examples: scripted, so that they run offline and always the same, or a real one.

Set `OUTTAKE_MODEL` to the name of a model, `OPENAI_API_KEY` to your key and, for another provider or a model on your
own machine, `OPENAI_BASE_URL` to an address that speaks the same protocol.
"""

import json
import os
import urllib.request
from collections.abc import Callable

Script = Callable[[str], str]
"""What the scripted model answers to a prompt."""


def answer(prompt: str, script: Script) -> str:
    """The scripted answer, or that of the model named in `OUTTAKE_MODEL`."""
    model = os.environ.get("OUTTAKE_MODEL")
    if not model:
        return script(prompt)
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
    request = urllib.request.Request(f"{base}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as response:
        told = json.load(response)
    return str(told["choices"][0]["message"]["content"])


def as_json(text: str) -> object:
    """The JSON value in a model's answer, whatever it says around it."""
    begin = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=0)
    return json.JSONDecoder().raw_decode(text[begin:])[0]
