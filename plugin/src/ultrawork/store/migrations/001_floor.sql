-- Sessions, their tasks and explorers, and the record of everything that happened to them.
CREATE TABLE sessions (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL,
  goal        TEXT NOT NULL,
  working_dir TEXT NOT NULL,
  phase       TEXT NOT NULL,
  stage       TEXT NOT NULL,
  iteration   INTEGER NOT NULL,
  run         INTEGER NOT NULL,
  options     TEXT NOT NULL,
  plan        TEXT NOT NULL,
  state       TEXT NOT NULL,
  design      TEXT,
  verdict     TEXT,
  started_at  REAL NOT NULL,
  updated_at  REAL NOT NULL,
  ended_at    REAL,
  revision    INTEGER NOT NULL,
  head        TEXT NOT NULL,
  born        TEXT NOT NULL  -- the id it began with: a session that makes way for another gets a new one
) STRICT;
CREATE INDEX sessions_by_place ON sessions (working_dir, started_at);

CREATE TABLE events (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  session  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  actor    TEXT NOT NULL,
  at       REAL NOT NULL,
  kind     TEXT NOT NULL,
  data     TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash     TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_session ON events (session, id);

CREATE TABLE tasks (
  session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  id          TEXT NOT NULL,
  place       INTEGER NOT NULL,
  subject     TEXT NOT NULL,
  description TEXT NOT NULL,
  status      TEXT NOT NULL,
  complexity  TEXT NOT NULL,
  criteria    TEXT NOT NULL,
  files       TEXT NOT NULL,
  approach    TEXT NOT NULL,
  test_file   TEXT,
  test_scope  TEXT,
  retry_count INTEGER NOT NULL,
  max_retry   INTEGER NOT NULL,
  attempts    INTEGER NOT NULL,
  owner       TEXT,
  token       INTEGER NOT NULL,
  reason      TEXT,
  created_at  REAL NOT NULL,
  updated_at  REAL NOT NULL,
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_by_status ON tasks (session, status, place);
-- A task's view is a file; on some systems file names differ by more than case or not at all.
CREATE UNIQUE INDEX tasks_by_name ON tasks (session, lower(id));

CREATE TABLE needs (
  session TEXT NOT NULL,
  task    TEXT NOT NULL,
  other   TEXT NOT NULL,
  PRIMARY KEY (session, task, other),
  FOREIGN KEY (session, task) REFERENCES tasks (session, id) ON DELETE CASCADE,
  FOREIGN KEY (session, other) REFERENCES tasks (session, id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX needs_by_other ON needs (session, other);

-- One row a piece of evidence: adding never rewrites what was there.
CREATE TABLE evidence (
  id      INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  task    TEXT NOT NULL,
  at      REAL NOT NULL,
  entry   TEXT NOT NULL,
  FOREIGN KEY (session, task) REFERENCES tasks (session, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX evidence_by_task ON evidence (session, task, id);

CREATE TABLE explorers (
  session  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  id       TEXT NOT NULL,
  place    INTEGER NOT NULL,
  hint     TEXT NOT NULL,
  summary  TEXT NOT NULL,
  findings TEXT NOT NULL,
  report   TEXT,
  expected INTEGER NOT NULL,
  done_at  REAL,
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
