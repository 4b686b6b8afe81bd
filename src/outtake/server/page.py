"""The plain pages: HTML without any script, every text of a run escaped."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from html import escape

from outtake.server.models.runs import RunBranch

STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .35rem .7rem; }
th, td { text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.text { overflow-wrap: anywhere; }
td.failed, td.diverged, td.lost { color: #c22; }
td.held, td.paused { color: #b60; }
td.run { white-space: pre; }
"""
NOT_BUILT = (
    "This is the plain page: Outtake was installed without its user interface (<code>OUTTAKE_UI=skip</code>, or run "
    "from its sources). To get it: <code>pip install --force-reinstall --no-deps .</code> in a checkout, or install a "
    "release."
)
_COLUMNS = ("run", "target", "status", "fork of", "records", "started", "output")


def runs(found: Iterable[RunBranch], *, without_ui: bool = False) -> str:
    """The runs as a table, forks below what they were forked from; `without_ui`: it stands for what is missing."""
    rows = "".join(_row(run) for run in found)
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    empty = "<p>There are no runs yet. Start one with <code>outtake run path.py:factory</code>.</p>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else empty
    told = f"<p>{NOT_BUILT}</p>" if without_ui else ""
    return _page("Runs", f'{told}{table}<p><a href="">Reload</a></p>')


def closed(nonce: str) -> str:
    """What who comes without the token is told; the style is in the page, because files are not given to strangers."""
    told = "Open the address that <code>outtake serve</code> printed when it was started; it holds the token."
    return _page("No entry without the token", f"<p>{told}</p>", f'<style nonce="{nonce}">{STYLE}</style>')


def _row(run: RunBranch) -> str:
    name = f"{run.run} {run.name}".strip()
    started = datetime.datetime.fromtimestamp(run.created).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    cells = (
        _cell("run", "   " * run.depth + ("└ " if run.depth else "") + name),
        _cell("text", run.spec),
        _cell(run.status, run.status),
        _cell("run", f"{run.parent} at {run.cut}" if run.parent else ""),
        _cell("number", str(run.records)),
        _cell("run", started),
        _cell("text", run.error or run.output),
    )
    return f"<tr>{''.join(cells)}</tr>"


def _cell(name: str, text: str) -> str:
    return f'<td class="{escape(name)}">{escape(text)}</td>'


def _page(title: str, body: str, style: str = '<link rel="stylesheet" href="/plain.css">') -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title} - Outtake</title>{style}</head>"
        f"<body><h1>{title}</h1>{body}</body></html>"
    )
