"""Numbered steps of the store's schema; each runs once, in a transaction."""

import sqlite3

from kb.errors import Unavailable

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE sources (root TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE files (
        path TEXT PRIMARY KEY,
        source TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        checked_ns INTEGER NOT NULL, -- when the bytes were last hashed
        sha256 TEXT NOT NULL,
        parser TEXT NOT NULL,
        parse_key TEXT NOT NULL,   -- '' where parsing failed
        chunk_key TEXT NOT NULL,   -- '' until chunked
        context_key TEXT NOT NULL, -- '' until contextualized
        error TEXT NOT NULL        -- '' where all went well
    ) WITHOUT ROWID;
    CREATE TABLE documents (key TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE chunks (key TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE contexts (key TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
    """,
    # what a failed parse was tried on, so that only what might end otherwise is tried again
    "ALTER TABLE files ADD COLUMN failed_key TEXT NOT NULL DEFAULT '';",
    # JSON lists: which files of a source are taken, and what they are tagged with
    """
    ALTER TABLE sources ADD COLUMN include TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE sources ADD COLUMN exclude TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE sources ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
    """,
    # a long document's result in parts, numbered from 0, so that no stage holds the whole of it
    "".join(
        f"""
    CREATE TABLE parts (
        key TEXT NOT NULL,
        part INTEGER NOT NULL,
        record BLOB NOT NULL,
        PRIMARY KEY (key, part)
    ) WITHOUT ROWID;
    INSERT INTO parts SELECT key, 0, record FROM {stage};
    DROP TABLE {stage};
    ALTER TABLE parts RENAME TO {stage};
    """
        for stage in ("documents", "chunks", "contexts")
    ),
    # What reading a file came to, by the key of its document; none where it was read before this.
    # Appended to and read as a whole: an index of keys, which have no order, is a page a row to write.
    "CREATE TABLE readings (key TEXT NOT NULL, record BLOB NOT NULL);",
    # What an LLM said of each chunk. `asked_key` of a file outlives its edits, so that what it said of
    # the chunks that stay is found again.
    """
    ALTER TABLE files ADD COLUMN asked_key TEXT NOT NULL DEFAULT '';
    CREATE TABLE asked (
        key TEXT NOT NULL,      -- a context_key
        chunk TEXT NOT NULL,    -- digest of its text, the prompt and the model
        document TEXT NOT NULL, -- digest of the document that the LLM saw
        context TEXT NOT NULL,  -- '' where it gave none
        problem TEXT NOT NULL,  -- why not; '' where it did
        PRIMARY KEY (key, chunk)
    ) WITHOUT ROWID;
    """,
    # What each chunk's text says of entities, by a digest of the text and of how it was read; and what
    # users decided about names, in order.
    """
    CREATE TABLE extractions (
        key TEXT PRIMARY KEY,
        record BLOB NOT NULL,
        problem TEXT NOT NULL -- why an LLM said nothing; '' where it did
    ) WITHOUT ROWID;
    CREATE TABLE name_decisions (place INTEGER PRIMARY KEY, record BLOB NOT NULL);
    """,
)


def up_to_date(connection: sqlite3.Connection) -> bool:
    """Whether `migrate` would have nothing to do."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return bool(version == len(MIGRATIONS))


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a store up to date.

    Raises:
        Unavailable: the store was written by a newer version.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise Unavailable(
            f"the store has schema {version}, this version of tesela knows up to {len(MIGRATIONS)}: "
            "upgrade tesela"
        )
    for number in range(version, len(MIGRATIONS)):
        connection.executescript(
            f"BEGIN; {MIGRATIONS[number]} PRAGMA user_version = {number + 1}; COMMIT;"
        )
