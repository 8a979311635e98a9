-- Schema 1 of .omc/state/swarm-state.db (PRAGMA user_version). Times are seconds since 1970, UTC.
CREATE TABLE swarm (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE tasks (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  subject TEXT NOT NULL,
  description TEXT NOT NULL,
  command TEXT NOT NULL,
  priority INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'claimed', 'done', 'failed')),
  tries INTEGER NOT NULL DEFAULT 0,
  token INTEGER NOT NULL DEFAULT 0,
  owner TEXT NOT NULL DEFAULT '',
  claimed_at REAL,
  expires_at REAL,
  done_at REAL,
  reason TEXT NOT NULL DEFAULT '',
  proof TEXT NOT NULL DEFAULT ''
);
CREATE INDEX tasks_next ON tasks (status, priority DESC, tries, number);
CREATE TABLE needs (
  task TEXT NOT NULL REFERENCES tasks (id),
  needed TEXT NOT NULL REFERENCES tasks (id),
  PRIMARY KEY (task, needed)
) WITHOUT ROWID;
CREATE TABLE files (
  task TEXT NOT NULL REFERENCES tasks (id),
  path TEXT NOT NULL,
  PRIMARY KEY (task, path)
) WITHOUT ROWID;
CREATE TABLE workers (
  owner TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  began TEXT NOT NULL,
  seen_at REAL NOT NULL,
  left_at REAL
) WITHOUT ROWID;
CREATE TABLE history (
  number INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  task TEXT NOT NULL,
  what TEXT NOT NULL,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  note TEXT NOT NULL
);
CREATE UNIQUE INDEX done_once ON history (task) WHERE what = 'done';
