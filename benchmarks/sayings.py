"""What the agents of a long run say: prose, Markdown, JSON, code, tables, pages and pictures, in words by chance.

The vocabulary follows Zipf's law, so a search can ask for what nearly every record says and for what only one does.
"""

from __future__ import annotations

import base64
import itertools
import json
import random
import struct
import zlib
from collections.abc import Iterable

_REAL = (
    "the of and a to in is we it that for was on are as with at be this from have or by not but what all were when can "
    "there an your which their said if will each about how up out them then she many some so these would other into "
    "has more her two like him see time could no make than first been its who now people my made over did down only "
    "way find use may water long little very after words called just where most know table walks player season answer "
    "page link column search result budget report source figure total record agent plan step check line number value"
)
_ONSETS = ("b", "br", "d", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "w", "z")
_VOWELS = ("a", "e", "i", "o", "u", "ei", "ou")
_CODAS = ("", "n", "r", "l", "s", "m", "t", "nd")
VOCABULARY = 4000


def _words() -> tuple[str, ...]:
    made = ("".join(parts) for parts in itertools.product(_ONSETS, _VOWELS, _CODAS, _ONSETS, _VOWELS, _CODAS))
    return (*_REAL.split(), *itertools.islice(made, 0, VOCABULARY * 97, 97))[:VOCABULARY]


WORDS = _words()
_WEIGHTS = tuple(itertools.accumulate(1 / (rank + 3) for rank in range(len(WORDS))))
_WIDTH, _HEIGHT = 24, 16


class Sayings:
    """Says things, the same ones for the same `chance`."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def words(self, count: int) -> list[str]:
        return self.chance.choices(WORDS, cum_weights=_WEIGHTS, k=count)

    def sentence(self) -> str:
        text = " ".join(self.words(self.chance.randint(5, 18)))
        return text[0].upper() + text[1:] + self.chance.choice("....?!")

    def paragraph(self, sentences: int = 4) -> str:
        return " ".join(self.sentence() for _ in range(self.chance.randint(1, sentences)))

    def title(self) -> str:
        return " ".join(self.words(self.chance.randint(2, 5))).title()

    def markdown(self) -> str:
        """A report with headings, a list, a table, a link and code."""
        items = "\n".join(f"{n}. **{self.title()}**: {self.sentence()}" for n in range(1, self.chance.randint(3, 6)))
        link = f"[{self.title()}](http://almanac.example/{self.words(1)[0]})"
        parts = [f"# {self.title()}", self.paragraph(), items, self.table(), f"> {self.sentence()}", f"See {link}."]
        if self.chance.random() < 0.4:
            parts.insert(3, self.code())
        return "\n\n".join(parts)

    def table(self) -> str:
        """A Markdown table."""
        rows = [f"| {self.title()} | {self._figure()} | {self._figure()} |" for _ in range(self.chance.randint(2, 7))]
        return "\n".join(["| name | at bats | walks |", "|---|--:|--:|", *rows])

    def csv(self, rows: int = 12) -> str:
        lines = [f"{self.title()},{self._figure()},{self._figure()}" for _ in range(self.chance.randint(3, rows))]
        return "\n".join(["name,at_bats,walks", *lines])

    def code(self) -> str:
        """Python in a Markdown block."""
        name, at_bats, walks = self.words(1)[0], self._figure(), self._figure()
        body = [
            f"# {self.sentence()}",
            f"def {name}(at_bats: int, walks: int) -> float:",
            f'    """{self.sentence()}"""',
            "    return walks / (at_bats + walks)",
            "",
            f"print(f'{{{name}({at_bats}, {walks}):.3f}}')",
        ]
        return "\n".join(["```python", *body, "```"])

    def ledger(self, speaker: str, instruction: str) -> str:
        """An orchestrator's progress, as JSON in a text."""
        answers = {
            "is_request_satisfied": False,
            "is_in_loop": False,
            "is_progress_being_made": True,
            "next_speaker": speaker,
            "instruction_or_question": instruction,
        }
        return json.dumps({k: {"reason": self.sentence(), "answer": v} for k, v in answers.items()}, indent=1)

    def page(self, characters: int) -> str:
        """A page of the web as plain text, of about so many characters."""
        lines = [f"Address: http://almanac.example/{self.words(1)[0]}", f"Title: {self.title()}", ""]
        size = 0
        while size < characters:
            line = self.chance.choice((self.paragraph, self.sentence, self.title))()
            lines.append(line)
            size += len(line)
        return "\n".join(lines)

    def pieces(self, text: str) -> list[str]:
        """A text as a model streams it."""
        tokens = [word + " " for word in text.split(" ")]
        size = self.chance.randint(1, 4)
        return ["".join(tokens[at : at + size]) for at in range(0, len(tokens), size)]

    def picture(self) -> str:
        """A small PNG with a gradient, in base64."""
        start = [self.chance.randrange(256) for _ in range(3)]
        rows = (
            b"\0" + b"".join(bytes((c + x * 4 + y * 5) % 256 for c in start) for x in range(_WIDTH))
            for y in range(_HEIGHT)
        )
        return base64.b64encode(_png(rows)).decode()

    def _figure(self) -> int:
        return self.chance.randint(10, 999)


def _png(rows: Iterable[bytes]) -> bytes:
    """An image of 8 bits for each of red, green and blue."""
    header = struct.pack(">IIBBBBB", _WIDTH, _HEIGHT, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows), 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )
