-- Runs over many machines: where each attempt ran, and which machines were last seen.
ALTER TABLE attempts ADD COLUMN machine TEXT NOT NULL DEFAULT '';
CREATE TABLE machines (
  name    TEXT PRIMARY KEY,
  slots   INTEGER NOT NULL,
  used    INTEGER NOT NULL,
  labels  TEXT NOT NULL,
  version TEXT NOT NULL,
  seen_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
