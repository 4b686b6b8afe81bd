"""What an instruction asks of the web surfer, understood from concepts and not from a list of sentences.

This is part of a scripted model: rules, written to be read. A text is cut into clauses, and each clause is searched
for concepts, each of which is a handful of synonyms: a place to look (table, page, column), an act (sort, compare), an
extreme (highest, maximum), everyone (all rows, the others), doubt (make sure), a shortcut (guess, first name, fame).
A negator turns what follows it in its clause round: a negated shortcut is doubt, a negated act is no act.

A text says *how to look* if it has one of these concepts and something else that belongs to the subject. Merely to say
what to find ("the player with the most walks") does not. What is not understood is left at None or False.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

Column = str
Row = int

COLUMNS: dict[Column, str] = {
    "walks": r"walk(?:s|ed|ing)?|bases?[ -]on[ -]balls|bbs?|free pass(?:es)?",
    "home runs": r"home[ -]?runs?|homers?|hrs?",
    "runs batted in": r"runs batted in|rbis?",
    "at bats": r"at[ -]?bats?|abs?",
    "hits": r"(?<!first )(?<!top )(?<!search )hits?",
}

# What tells how to look. "Most" is not among the extremes: to ask for the most walks says what is wanted, not how.
_PLACE = (
    r"tab(?:le|el|les)|pages?|columns?|cols?|rows?|stat(?:s|istics)?|(?:data|dataset|spreadsheet)|figures|numbers"
    r"|leaderboard|roster|list|records?|totals|evidence"
)
_ACT = (
    r"sort\w*|order(?:ed|ing)? by|(?:in|the) order|order the|rank\w*|arrang\w+|compar\w+|scan\w*|filter\w*|count\w*"
    r"|check\w*|cross-check|verif\w+|examin\w+|evaluat\w+|inspect\w*|max(?:imum|imal)?|argmax|min(?:imum|imal)?"
    r"|(?:high|larg|great|bigg|low|small)est|tops?|topmost|lead(?:s|er|ers)|number one|no\. ?1|#1|king|descending|desc"
    r"|ascending|more|fewer|go through|look(?:ing)? through|one by one|row by row"
)
_EVERYONE = (
    r"all|every(?:one|body)?|each|whole|entire|full|complete|others?|another|rest|any(?:one|body)|nobody|fourteen"
    r"|less(?:er)?[ -]known|less famous"
)
# Doubt of what the team does; care is none by itself ("really nice").
_DOUBT = (
    r"(?:make|are you|be) sure|double-?check|(?:that'?s|is|was|are) (?:false|second|2nd)|wrong|mistaken|reconsider"
    r"|s[ck]eptical|sloppy|mislead\w+|biased|try again"
)
_CARE = r"careful(?:ly)?|proper(?:ly)?|prove|proof|actual(?:ly)?|really"
# The ways in which the team goes wrong: negated, each is doubt.
_SHORTCUT = (
    r"guess\w*|assum\w+|trust\w*|rely\w*|memory|prior knowledge|fam(?:e|ous)|celebrity|stars?|reputation"
    r"|(?:well-)?known|names?|search\w*|stop(?:ped|ping)?|jump\w*|first (?:name|result|hit|one|link|match|player|thing)"
    r"|you know|conclusions?|relevance|recall\w*|remember\w*|popular\w*|reggie|jackson"
)
_SUBJECT = (
    r"batt(?:ing|ers?)|hitting|hitters?|players?|yankees?|team|club|season|them|names?|results?|candidates?"
    r"|almanac|guy|man|the others|else|somebody|someone|less famous"
)
_LOOKING = (
    r"open|use|using|go|read|look|consult|see|browse|bring up|pull|get|quote|navigate|click|based?|follow|retrieve|try"
    r"|answer|come|work"
)
_NEGATOR = (
    r"not|\w+n't(?! (?:we|you|he|it)\b)|dont|doesnt|isnt|cant|never|without|avoid|ignore|instead of|rather than"
    r"|stop(?!ped)|why did you|no(?! \d|[.] ?\d)|regardless of|under no circumstances|not by|refrain from"
    r"|you took|you are|could it be"
)

_LARGEST = (
    r"most|high(?:est)?|larg(?:est|e)|greatest|biggest|max\w*|argmax|tops?|topmost|lead\w*|more|number one|king|desc\w*"
)
_SMALLEST = r"fewest|lowest|smallest|least|min(?:imum|imal)?"
_FIRST = r"first|top(?:most)?|row 1|number one|no\. ?1|#1|limit 1|element 0"
_ORDINALS = {1: r"second|2nd", 2: r"third|3rd"}
_PLACED = r"[ -](?:row|highest|most|player|place|entry|line|batter|in)"
# What makes a column the one that is compared, standing before or after it; and what makes it the one to report.
_KEY_BEFORE = rf"\bby\b|sort|order|rank|\b(?:{_LARGEST}|{_SMALLEST})\b|column|who(?:se)?\b|key|compar|more than|count"
_KEY_AFTER = r"^\W*(?:column|col|leader|king|desc|asc|descending|ascending|first|header|heading|list|value)"
_WANTED_BEFORE = r"give|report|return|tell|output|quote|read|how (?:many|often)|state|show|select|his|->|name the"


@dataclass(frozen=True)
class Request:
    """How a text asks to look for the figures; None is what it leaves open."""

    careful: bool = False
    """It says how to look: by the table's numbers, and not by a name."""
    key: Column | None = None
    wanted: Column | None = None
    on_subject: bool = False
    """It speaks of baseball, a team or its players at all."""
    largest: bool | None = None
    descending: bool | None = None
    row: Row | None = None
    """Which row, counted from 0; -1 is the last."""
    equal_to: int | None = None
    """The number that the key has in the row that is meant."""
    sorts: bool = False
    """It compares rows, so that a name in it is not the answer."""
    as_it_stands: bool = False
    """It wants the first row of a table, and says neither of which order nor by which column."""
    address: str | None = None


@dataclass(frozen=True)
class _Clause:
    text: str
    negated_from: int
    """Where the scope of a negator begins; the clause's length where there is none."""

    def says(self, concept: str) -> bool:
        return _found(concept, self.text[: self.negated_from])

    def denies(self, concept: str) -> bool:
        return _found(concept, self.text[self.negated_from :])


def understand(text: str) -> Request:
    """Read one text."""
    address = re.search(r"https?://[^\s/]+/(?!players/)[^\s,;)\"'>]*\w", text)
    plain = _plain(re.sub(r"https?://\S+", " ", text))
    clauses = list(_clauses(plain))
    key, wanted = _columns(plain)
    unknown = None if key else _unknown_column(plain)
    equal = re.search(rf"\b(\d+) (?:{COLUMNS[key]})\b", plain) if key else None
    sorts = any(clause.says(rf"{_ACT}|{_EVERYONE}") for clause in clauses)
    largest, descending = _direction(clauses)
    return Request(
        careful=_is_careful(clauses) or bool(address or equal or unknown),
        key=key or unknown,
        on_subject=_is_on_subject(clauses),
        wanted=wanted,
        largest=largest,
        descending=descending,
        row=_row(clauses),
        equal_to=int(equal[1]) if equal and not sorts else None,
        sorts=sorts,
        as_it_stands=not sorts and key is None and any(c.says(rf"(?:first|top){_PLACED}") for c in clauses),
        address=address[0] if address else None,
    )


def affirmed(names: Sequence[str], text: str) -> list[str]:
    """The names (of people) that a text proposes: mentioned, and neither negated nor what something is compared with.

    A family name alone counts if it has a capital and five letters, for "may" is not Carlos May.
    """
    found = []
    for name in names:
        surname = name.split()[-1]
        short = rf"|\b{surname}\b" if len(surname) >= 5 else ""
        for clause in _clauses(text):
            said = re.search(rf"(?i:\b{re.escape(name)}\b){short}", clause.text[: clause.negated_from])
            before, after = (clause.text[: said.start()], clause.text[said.end() :]) if said else ("", "")
            if (
                said
                and not re.search(r"\bthan\s*$", before)
                and not re.match(r"\s+(?:is|was) (?:not|wrong|second)", after)
            ):
                found.append((text.find(said[0]), name))
                break
    return [name for _, name in sorted(found)]


def _is_careful(clauses: Sequence[_Clause]) -> bool:
    """Whether the text says how to look: one concept of method, and one thing more that belongs to the subject."""
    if any(clause.denies(_SHORTCUT) or clause.says(_DOUBT) for clause in clauses):
        return True
    concepts = (_PLACE, _ACT, _EVERYONE, _CARE, _LOOKING)
    place, act, everyone, care, looking = (any(c.says(concept) for c in clauses) for concept in concepts)
    if _is_on_subject(clauses):
        return place or act or everyone or care
    return (place and (act or everyone or looking)) or (care and (act or everyone))


def _is_on_subject(clauses: Sequence[_Clause]) -> bool:
    return any(_found(concept, clause.text) for clause in clauses for concept in (*COLUMNS.values(), _SUBJECT))


def _columns(text: str) -> tuple[Column | None, Column | None]:
    """The column to compare by and the column to report, by what stands around their mentions."""
    mentions = sorted(
        (found.start(), found.end(), column)
        for column, words in COLUMNS.items()
        for found in re.finditer(rf"(?<![a-z])(?:{words})(?![a-z])", text)
    )
    keys: list[Column] = []
    wanted: list[Column] = []
    for start, end, column in mentions:
        before = " ".join(re.split(r"[.;!?]|,|\band\b", text[:start])[-1].split()[-5:])
        asks = max((m.end() for m in re.finditer(_WANTED_BEFORE, before)), default=-1)
        compares = max((m.end() for m in re.finditer(_KEY_BEFORE, before)), default=-1)
        is_key = compares > asks or bool(re.match(_KEY_AFTER, text[end:]))
        (keys if is_key else wanted).append(column)
    named = [column for _, _, column in mentions]
    key = next((column for column in keys if column != "at bats"), None) or ("walks" if "walks" in named else None)
    key = key or (keys[0] if keys else None)
    rest = [column for column in wanted if column != key]
    return key, ("at bats" if "at bats" in rest else rest[0] if rest else None)


def _unknown_column(text: str) -> Column | None:
    """A column that the text sorts by and that is none of the known ones: whoever has the table may say so."""
    found = re.search(r"\bsort\w*\b(?:(?! by ).)* by (?:the |their |his |number of )*([a-z]+(?: [a-z]+)?)", text)
    return re.sub(r" (?:and|in|then|from|to|descending|ascending)$", "", found[1]) if found else None


def _direction(clauses: Sequence[_Clause]) -> tuple[bool | None, bool | None]:
    """Whether the largest is wanted, and whether the rows are to be sorted with the largest first."""
    said = ", ".join(clause.text[: clause.negated_from] for clause in clauses)
    large, small = _first(_LARGEST, said), _first(_SMALLEST, said)
    largest = None if large is None and small is None else small is None or (large is not None and large < small)
    if _found(r"asc|ascending|ascending order|increasing", said):
        return largest, False
    return largest, True if _found(r"desc|descending|decreasing|reverse", said) else None


def _row(clauses: Sequence[_Clause]) -> Row | None:
    said = ", ".join(clause.text[: clause.negated_from] for clause in clauses)
    for row, words in _ORDINALS.items():
        if _found(rf"(?:{words}){_PLACED}|row {row + 1}", said):
            return row
    if _found(r"(?:last|bottom) (?:row|one|player|entry|line|place)|(?:at|to) the (?:bottom|end)", said):
        return -1
    return 0 if _found(_FIRST, said) else None


def _clauses(text: str) -> Iterator[_Clause]:
    """A text's clauses, each with the place where it turns negative, if it does."""
    text = text.replace("\u2019", "'")
    for part in re.split(r"[;!?\n:,—]|\.(?=\s|$)|\bbut\b|\band\b|\bthen\b|\bbecause\b|->", text):
        found = re.search(rf"\b(?:{_NEGATOR})(?=\s)", part, re.IGNORECASE)
        if part.strip():
            yield _Clause(part, found.end() if found else len(part))


def _plain(text: str) -> str:
    """A text in lower case, with snake case as words and likely misspellings of the concepts' longer words mended."""
    text = text.lower().replace("_", " ").replace('"', " ")
    return re.sub(r"[a-z]{5,}", lambda word: _mended(word[0]), text)


_SPELLED = ("walks", "table", "column", "batting", "highest", "largest", "player", "players", "compare", "descending")


def _mended(word: str) -> str:
    for known in _SPELLED:
        if sorted(known) == sorted(word) or (
            word[0] == known[0] and len(known) > 5 and SequenceMatcher(None, word, known).ratio() > 0.85
        ):
            return known
    return word


def _found(concept: str, text: str) -> bool:
    return _first(concept, text) is not None


def _first(concept: str, text: str) -> int | None:
    found = re.search(rf"(?<![\w-])(?:{concept})(?![\w])", text)
    return found.start() if found else None
