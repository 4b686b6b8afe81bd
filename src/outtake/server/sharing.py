"""A run as one HTML file that opens without Outtake and without a network.

The file carries the window's own code for reading a run, as one script, and the run as JSON beside it: what a turn is,
is said in one place only, and a shared run reads as it does in the window.  What a log says never becomes part of the
page's source: in the JSON every character that could end a script is escaped, and the page makes text of it, not HTML.
Its policy allows that one script and that one style sheet, by their hashes, and no request to anywhere.

It says less than an export: no settings, folders, interpreters or prompts.  What was redacted is not in the store; what
looks like a secret is replaced once more, because a log of another program was never redacted.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outtake.server.ui import BUILT
from outtake.service import Service
from outtake.service.errors import NotFound
from outtake.service.redacting import Redaction
from outtake.service.service import Document

FOLDER = BUILT / "share"
SCRIPT, STYLE = "share.js", "share.css"
MOST_RECORDS = 20_000
MOST_CHANGES = 100
MOST_TEXT = 6_000_000
"""Characters of all texts of one run, as JSON."""
LONGEST_TEXT = 200_000
"""Of one of them."""
BATCH = 500
TOLD = (
    *("run", "name", "changed", "spec", "status", "outcome", "expected", "created", "timed", "imported", "records"),
    *("parent", "cut"),
)
"""What is reported of a run itself."""
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; base-uri 'none'; form-action 'none'"
)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="root"><noscript>This file tells a run of a program; it needs JavaScript, and no network.</noscript></div>
<script type="application/json" id="run">{data}</script>
<script>{script}</script>
</body>
</html>
"""


@dataclass
class _Texts:
    """What records say, as much of it as there is room for."""

    service: Service
    redaction: Redaction
    room: int = MOST_TEXT
    records: list[list[Any]] = field(default_factory=list)
    glances: Document = field(default_factory=dict)
    bodies: Document = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)

    def add(self, run: str, count: int) -> None:
        """Take up what the first records of a run say."""
        for first in range(0, count, BATCH):
            picked = self.service.pick(run, list(range(first, min(first + BATCH, count))))
            for record in picked["records"]:
                if record["hash"] and not _is_prompt(record):
                    self._add(record, picked["glances"][record["hash"]])

    def _add(self, record: Document, glance: Document) -> None:
        name = record["hash"]
        failed = bool(record.get("failed"))
        glance = {**glance, **{part: self.redaction.text(glance[part]) for part in ("text", "thought")}}
        if name not in self.glances and not self._fits({name: glance}):
            self.cut.add(name)
            return
        self.records.append([record["seq"], name, failed])
        if name in self.glances:
            return
        self.glances[name] = glance
        if failed or not _is_more(glance):
            return
        told = self.service.body(name)
        if len(json.dumps(told)) > LONGEST_TEXT:
            self.cut.add(name)
            return
        body = {**self.redaction.value({part: told[part] for part in ("value", "thought", "said")}), "body": name}
        if self._fits(body):
            self.bodies[name] = body
        else:
            self.cut.add(name)

    def _fits(self, value: Document) -> bool:
        size = len(json.dumps(value))
        if size > self.room:
            return False
        self.room -= size
        return True

    def document(self) -> Document:
        return {"records": self.records, "glances": self.glances, "bodies": self.bodies, "cut": len(self.cut)}


def share(service: Service, run: str, folder: Path = FOLDER) -> str:
    """The file of a run.  Raises `NotFound` where there is no such run, or the user interface was not built."""
    script, style = _built(folder / SCRIPT), _built(folder / STYLE)
    info = service.info(run)
    parent = info["parent"]
    redaction = Redaction()
    texts = _Texts(service, redaction)
    texts.add(run, min(info["records"], MOST_RECORDS))
    told: Document = {**_side(service, run, info, texts), "parent": None, "difference": None}
    if parent is not None:
        difference = service.diff(parent, run)
        changes = difference["changes"][:MOST_CHANGES]
        before = service.info(parent)
        theirs = _Texts(service, redaction)
        theirs.add(parent, min(before["records"], MOST_RECORDS))
        told["parent"] = _side(service, parent, before, theirs)
        told["difference"] = {
            "shared": difference["shared"],
            "same": difference["same"],
            "changes": changes,
            "more": len(difference["changes"]) - len(changes),
        }
    title = redaction.text(f"{info['run']} {info['name'] or info['changed']}".strip())
    policy = POLICY.format(script=_source(script), style=_source(style))
    return PAGE.format(
        policy=html.escape(policy), title=html.escape(title), style=style, data=_inlined(told), script=script
    )


def _side(service: Service, run: str, info: Document, texts: _Texts) -> Document:
    """A run, its outline and its texts."""
    about = texts.redaction.value({name: info[name] for name in TOLD})
    return {"run": about, "outline": service.outline(run, -1, MOST_RECORDS), "texts": texts.document()}


def _is_prompt(record: Document) -> bool:
    """Whether it is what a model was given: all that was said before, once more."""
    return record["kind"] == "invocation_started" and record.get("call") == "model"


def _is_more(glance: Document) -> bool:
    """Whether a body says more than a glance at it does."""
    whole = glance["form"] != "json" and glance["size"] <= len(glance["text"])
    return glance["form"] != "empty" and not (whole and len(glance["thought"]) < glance["size"])


def _built(file: Path) -> str:
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(
            "the user interface was not built, and a shared file needs a part of it; install Outtake without "
            "OUTTAKE_UI=skip, or use export without --html"
        ) from None
    return text.replace("</script", "<\\/script").replace("</style", "<\\/style").replace("<!--", "<\\!--")


def _source(text: str) -> str:
    """What a policy calls this very text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _inlined(value: Any) -> str:
    """JSON that cannot end the element that it stands in, whatever a log says."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
