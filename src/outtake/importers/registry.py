"""Which importers there are, and which one reads a file: the first that recognises its content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from outtake.importers.log import BadLog, Importer, Log
from outtake.importers.source import Source

GROUP = "outtake.importers"
"""The group of entry points in which other packages name theirs."""
BUILT_IN = (
    *("who_and_when", "otlp", "openai", "anthropic", "claude_code", "langsmith", "langfuse", "inspect", "swe_agent"),
    *("openhands", "autogen_events", "autogen_console"),
)
LAST = ("messages",)
"""Those whose logs have the least to be known by: they are asked after everybody else's."""

RUNS = 1000
"""Runs of one file."""


class Unknown(ValueError):
    """A file that nobody reads; the message says what was tried."""


@dataclass(frozen=True, slots=True)
class ImportedLogs:
    """The runs of a file, and how it was known."""

    importer: Importer
    recognised: str
    logs: Sequence[Log]


def importers() -> Iterator[EntryPoint]:
    """All importers, in the order in which they are asked; each is loaded when it is its turn."""
    yield from map(_built_in, BUILT_IN)
    yield from sorted(entry_points(group=GROUP), key=lambda point: point.name)
    yield from map(_built_in, LAST)


def known() -> list[Importer]:
    """Those that come with Outtake."""
    return [_loaded(_built_in(name)) for name in (*BUILT_IN, *LAST)]


def read(source: Source) -> ImportedLogs:
    """The runs of a file.  Raises `Unknown`, and `BadLog` for one that was recognised and is damaged."""
    tried: list[str] = []
    for point in importers():
        try:
            importer = _loaded(point)
        except BadLog as error:
            tried.append(str(error))
            continue
        tried.append(f"{importer.name} ({importer.looks})")
        if seen := importer.recognise(source):
            return ImportedLogs(importer, seen, _read(importer, source, seen))
    looked = f"is {source.trouble}" if source.trouble else "holds nothing that is known"
    raise Unknown(f"{source.name} is no export of Outtake, and {looked}. Tried were: {'; '.join(tried)}")


def _read(importer: Importer, source: Source, seen: str) -> Sequence[Log]:
    try:
        logs = importer.read(source)
    except (BadLog, RecursionError) as error:
        told = str(error) if isinstance(error, BadLog) else "it is nested too deeply"
        raise BadLog(f"looks like a log of {importer.name} ({seen}), but {told}") from error
    if not logs:
        raise BadLog(f"looks like a log of {importer.name} ({seen}), but it holds no run")
    if len(logs) > RUNS:
        raise BadLog(f"looks like a log of {importer.name}, but it holds {len(logs):,} runs; up to {RUNS:,} are read")
    return logs


def _built_in(name: str) -> EntryPoint:
    return EntryPoint(name, f"{__package__}.{name}:IMPORTER", GROUP)


def _loaded(point: EntryPoint) -> Importer:
    """The importer that an entry point names.  Raises `BadLog`."""
    if point.value.startswith(f"{__package__}."):
        importer = getattr(import_module(point.module), point.attr)
        assert isinstance(importer, Importer)
        return importer
    try:
        importer = point.load()
    except Exception as error:
        raise BadLog(f"{point.name} (it cannot be loaded: {type(error).__name__}: {error})") from error
    if not isinstance(importer, Importer):
        raise BadLog(f"{point.name} ({point.value} is no outtake.importers.Importer)")
    return importer
