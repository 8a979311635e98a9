-- Axiom: what a checkout remembers, what might become memory, and the papers of its requirements.
-- A ledger is the checkout's own session; its chain of events tells of every change of memory.
CREATE TABLE axiom_entries (
  number      INTEGER PRIMARY KEY,
  ledger      TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  id          TEXT NOT NULL,
  kind        TEXT NOT NULL,
  title       TEXT NOT NULL,
  text        TEXT NOT NULL,
  category    TEXT NOT NULL,
  confidence  REAL NOT NULL,
  occurrences INTEGER NOT NULL,
  status      TEXT NOT NULL,
  anchors     TEXT NOT NULL,
  supports    TEXT NOT NULL,
  source      TEXT NOT NULL,
  requirement TEXT NOT NULL,
  created_at  REAL NOT NULL,
  checked_at  REAL NOT NULL,
  used_at     REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX axiom_entries_by_id ON axiom_entries (ledger, id);
CREATE INDEX axiom_entries_by_kind ON axiom_entries (ledger, kind, status, confidence);

-- Which entries rest on which file.
CREATE TABLE axiom_files (
  ledger TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  path   TEXT NOT NULL,
  entry  TEXT NOT NULL,
  PRIMARY KEY (ledger, path, entry)
) STRICT, WITHOUT ROWID;

CREATE TABLE axiom_queue (
  ledger     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  id         TEXT NOT NULL,
  source     TEXT NOT NULL,
  operation  TEXT NOT NULL,
  priority   TEXT NOT NULL,
  entry      TEXT NOT NULL,
  why        TEXT NOT NULL,
  origin     TEXT NOT NULL,
  red        TEXT NOT NULL,
  green      TEXT NOT NULL,
  status     TEXT NOT NULL,
  created_at REAL NOT NULL,
  settled_at REAL NOT NULL,
  settled_by TEXT NOT NULL,
  PRIMARY KEY (ledger, id)
) STRICT, WITHOUT ROWID;

-- Pages as we wrote them last: what somebody changed since is the difference.
CREATE TABLE axiom_pages (
  ledger TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  name   TEXT NOT NULL,
  text   TEXT NOT NULL,
  at     REAL NOT NULL,
  PRIMARY KEY (ledger, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE axiom_runs (
  ledger      TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  requirement TEXT NOT NULL,
  started_at  REAL NOT NULL,
  document    TEXT NOT NULL,
  PRIMARY KEY (ledger, requirement)
) STRICT, WITHOUT ROWID;

-- What agents wrote for a requirement: draft, reviews, PRDs, manifest. Nothing is overwritten.
CREATE TABLE axiom_papers (
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  name    TEXT NOT NULL,
  version INTEGER NOT NULL,
  by      TEXT NOT NULL,
  at      REAL NOT NULL,
  digest  TEXT NOT NULL,
  text    TEXT NOT NULL,
  PRIMARY KEY (session, name, version)
) STRICT, WITHOUT ROWID;
