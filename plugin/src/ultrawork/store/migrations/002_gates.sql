-- What a session is measured against, every run of a gate, and every verdict.
CREATE TABLE pins (
  session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  at      REAL NOT NULL,
  tree    TEXT NOT NULL,
  kind    TEXT NOT NULL,
  head    TEXT,
  refs    TEXT NOT NULL,
  gates   TEXT NOT NULL
) STRICT;

CREATE TABLE receipts (
  session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  number     INTEGER NOT NULL,
  place      TEXT NOT NULL,
  gate       TEXT NOT NULL,
  command    TEXT NOT NULL,
  target     TEXT NOT NULL,
  tree       TEXT NOT NULL,
  result     TEXT NOT NULL,
  minted_by  TEXT NOT NULL,
  started_at REAL NOT NULL,
  seconds    REAL NOT NULL,
  document   TEXT NOT NULL,
  report     TEXT NOT NULL,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX receipts_by_command ON receipts (place, command, started_at);
CREATE INDEX receipts_by_tree ON receipts (tree, command);

CREATE TABLE verdicts (
  session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  number     INTEGER NOT NULL,
  verdict    TEXT NOT NULL,
  tree       TEXT NOT NULL,
  decided_at REAL NOT NULL,
  document   TEXT NOT NULL,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

-- Commands that the person allowed us to run by ourselves in a checkout.
CREATE TABLE consents (
  place   TEXT NOT NULL,
  command TEXT NOT NULL,
  at      REAL NOT NULL,
  how     TEXT NOT NULL,
  PRIMARY KEY (place, command)
) STRICT, WITHOUT ROWID;
