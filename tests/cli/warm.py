"""Runs commands of `outtake` in processes of their own that need not import it first: forks of one that has.

python warm.py FD        one JSON line each way over the socket FD: a command in, its exit code out
"""

from __future__ import annotations

import json
import os
import socket
import sys
import traceback
from typing import Any

import outtake.service.rpc_client  # noqa: F401  what a command imports when it needs the service
from outtake.cli import main


def serve(channel: socket.socket) -> None:
    with channel.makefile("r") as asked:
        for line in asked:
            command = json.loads(line)
            child = os.fork()
            if child == 0:
                os._exit(run(command))
            _, status = os.waitpid(child, 0)
            channel.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def run(command: dict[str, Any]) -> int:
    """Be the command: its folder, environment and streams."""
    os.chdir(command["folder"])
    os.environ.clear()
    os.environ.update(command["env"])
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        file = os.open(command[name], os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
    try:
        return main(command["args"])
    except BaseException:  # noqa: BLE001  as the interpreter does at the end of a program
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
