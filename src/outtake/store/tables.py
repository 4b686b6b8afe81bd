"""The tables: runs, their records, the bodies (by content), what processes printed, what was said about runs, and what
programs said of themselves.

Only types that SQLite and PostgreSQL share.  Hashes are stored as 16 bytes, paths of components as numbers; what only
some kinds of record have is one small JSON text.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

FORMAT = 1
"""Number of the layout of the tables, see docs/formats.md.  1: the first release."""

metadata = MetaData()
_Number = BigInteger().with_variant(Integer, "sqlite")

meta = Table("meta", metadata, Column("key", String(40), primary_key=True), Column("value", Text, nullable=False))

runs = Table(
    "runs",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False, default=""),
    Column("launch", Text, nullable=False),
    Column("parent", _Number, ForeignKey("runs.number")),
    Column("cut", Integer, nullable=False, default=0),
    Column("fork", Text),
    Column("status", String(20), nullable=False),
    Column("created", Float, nullable=False),
    Column("ended", Float),
    Column("seed", BigInteger, nullable=False, default=0),
    Column("output", Text),
    Column("error", Text),
    Column("counts", Text),
    sqlite_autoincrement=True,
)

components = Table(
    "components",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("path", Text, nullable=False, unique=True),
)

records = Table(
    "records",
    metadata,
    Column("run", _Number, ForeignKey("runs.number"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("kind", SmallInteger, nullable=False),
    Column("at", Float, nullable=False),
    Column("component", _Number),
    Column("call", SmallInteger),
    Column("invocation", Integer),
    Column("parent", Integer),
    Column("message", Integer),
    Column("caused_by", Text),
    Column("body", LargeBinary(16)),
    Column("extra", Text),
    sqlite_with_rowid=False,
)

bodies = Table(
    "bodies",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("hash", LargeBinary(16), nullable=False, unique=True),
    Column("packed", SmallInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

console = Table(
    "console",
    metadata,
    Column("run", _Number, ForeignKey("runs.number"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("stream", SmallInteger, nullable=False),
    Column("text", Text, nullable=False),
    sqlite_with_rowid=False,
)

annotations = Table(
    "annotations",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("run", _Number, ForeignKey("runs.number"), nullable=False),
    Column("seq", Integer),
    Column("kind", String(20), nullable=False),
    Column("author", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("created", Float, nullable=False),
    sqlite_autoincrement=True,
)

descriptions = Table(
    "descriptions",
    metadata,
    Column("run", _Number, ForeignKey("runs.number"), primary_key=True, autoincrement=False),
    Column("body", LargeBinary(16), nullable=False),
)
"""What the program of a run said of itself, as a body."""

files = Table(
    "files",
    metadata,
    Column("run", _Number, ForeignKey("runs.number"), primary_key=True, autoincrement=False),
    Column("path", Text, primary_key=True),
    Column("hash", String(16), nullable=False),
)
"""The program's own files that the process of a run imported: path relative to its folder, hash of the text."""

Index("runs_parent", runs.c.parent)
Index("annotations_run", annotations.c.run)
