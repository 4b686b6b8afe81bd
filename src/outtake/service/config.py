"""`outtake.toml` in the program's folder: what its tools do to the world, what they share there, and what is secret.

[effects]
"search" = "read"            # a component, by its path or its last parts, wildcards allowed
"*/tools/send_mail" = "irreversible"

[state]
"browser_*" = "browser"      # tools that share a state outside the process; "" for one that has none

[redact]
patterns = ["ACME-[0-9]{6}"]

[serve]
otlp = true                  # `outtake serve` takes spans that programs send
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from outtake.service.errors import WrongUse
from outtake_probe.records import EFFECTS, Json

FILE = "outtake.toml"


def settings(folder: str) -> dict[str, Json]:
    """What the probe is told: effects and states by component, what to redact.  Raises `WrongUse` for a bad file."""
    path = Path(folder) / FILE
    data = _read(path)
    effects = data.get("effects", {})
    for component, effect in effects.items():
        if effect not in EFFECTS:
            raise WrongUse(f"{path}: effects of {component!r} are one of {', '.join(EFFECTS)}, not {effect!r}")
    states = data.get("state", {})
    for component, state in states.items():
        if not isinstance(state, str):
            raise WrongUse(f'{path}: the state of {component!r} is a name, or "" for none, not {state!r}')
    patterns = data.get("redact", {}).get("patterns", [])
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise WrongUse(f"{path}: the pattern {pattern!r} is no regular expression: {error}") from error
    return {"effects": effects, "states": states, "redact": patterns}


def takes_spans(folder: str) -> bool:
    """Whether `outtake serve` takes spans without being told on its command line.  Raises `WrongUse` for a bad file."""
    path = Path(folder) / FILE
    serve = _read(path).get("serve", {})
    told = serve.get("otlp", False) if isinstance(serve, dict) else None
    if not isinstance(told, bool):
        raise WrongUse(f"{path}: otlp of [serve] is true or false, not {told!r}")
    return told


def _read(path: Path) -> dict[str, Json]:
    """The file; empty where there is none.  Raises `WrongUse`."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise WrongUse(f"{path} cannot be read: {error}") from error
