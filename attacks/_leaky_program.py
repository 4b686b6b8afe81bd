"""A program that puts secrets wherever a program can put one.  It reads them from the file that its input names."""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator
from typing import Any

import outtake

NAMES = ("X-Api-Key", "apiKey", "password", "Cookie", "DB_PASSWORD", "access_token", "client-secret", "Authorization")


@outtake.tool(effects="pure")
def echo(value: Any) -> Any:
    return {"got": value}


@outtake.tool(effects="pure")
def connect(address: str, password: str) -> None:
    message = f"cannot open {address} with {password}"
    raise ConnectionError(message, password)


@outtake.tool(effects="pure")
def refuse(text: str) -> None:
    raise ValueError(f"bad key {text}", {"key was": text})


@outtake.model
def spell(text: str) -> Iterator[str]:
    """In small pieces, with nothing between them."""
    for at in range(0, len(text), 3):
        yield text[at : at + 3]


@outtake.model
def dictate(text: str) -> Iterator[dict[str, Any]]:
    """In small pieces, with a call between each two."""
    for at in range(0, len(text), 4):
        echo(at)
        yield {"choices": [{"delta": {"content": text[at : at + 4]}}]}


@outtake.agent
def collect(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def plant(secret: str) -> None:
    """Everywhere where a text can stand."""
    data = secret.encode()
    echo(secret)
    echo(f"use {secret}, please")
    echo({secret: 1, f"x {secret}": 2})
    echo([1, {"deep": [secret, ("a", secret)]}])
    echo({"arguments": json.dumps({"text": secret, "again": json.dumps([secret])})})
    echo(data)
    echo({1: secret, secret: {2}})
    collect(f"it is {secret} indeed")
    list(spell(f"my key is {secret} and more"))
    list(dictate(f"my key is {secret} and more"))
    for failing in (refuse, echo):
        with contextlib.suppress(ValueError):
            failing(secret)
    print("out", secret)
    print("err", secret, file=sys.stderr)
    logging.getLogger("planted").warning("logged %s", secret)
    for part in ("in parts ", secret[: len(secret) // 2], secret[len(secret) // 2 :], "\n"):
        sys.stdout.write(part)
        sys.stdout.flush()
    thread = threading.Thread(target=refuse, args=(secret,))
    thread.start()
    thread.join()


def plant_known(secret: str) -> None:
    """In other forms: of a secret that is known these are known."""
    plant(secret)
    for before in (b"", b"a", b"ab"):
        echo(base64.b64encode(before + secret.encode()).decode())
    echo(secret.encode().hex())
    echo(urllib.parse.quote(secret, safe=""))
    echo(secret[:-2])
    subprocess.run([sys.executable, "-c", "import sys; print('child', sys.argv[1])", secret], check=False)


def plant_named(secret: str) -> None:
    """Under names that tell."""
    for name in NAMES:
        echo({name: secret})
        echo({name: [secret, secret]})
        echo({"headers": [[name, secret]], "raw": [(name.encode(), secret.encode())]})
        echo({"name": name, "value": secret})
        echo(json.dumps({name: secret}))
        echo({"arguments": json.dumps({"body": json.dumps({name: secret})})})
        echo(f"{name}={secret}&x=1")
        print(f"{name}: {secret}")
    echo(f"postgresql://someone:{secret}@host/db")
    for _ in range(2):
        with contextlib.suppress(ConnectionError):
            connect("host", secret)


def main(input: str) -> Any:
    with open(input, encoding="utf-8") as file:
        told = json.load(file)
    os.environ["LATE_SERVICE_KEY"] = told["late"]
    for secret in (told["late"], told["early"]):
        plant_known(secret)
    for secret in told["forms"]:
        plant(secret)
    for secret in told["named"]:
        plant_named(secret)
    if told["end"] == "exit":
        sys.exit(f"bad key {told['early']}")
    if told["end"] == "error":
        api_key, holder = told["named"][0], {"apiKey": told["named"][0]}
        raise RuntimeError(f"{told['late']} and {told['forms'][0]}: {api_key} {len(holder)}")
    if told["end"] == "abandon":
        raise KeyboardInterrupt(told["early"])
    return {"end": told["early"], "more": told["forms"]}
