-- Requests that share a baseline: what agents of one chain left behind is not the baseline of the next request.
CREATE TABLE chains (
  id        INTEGER PRIMARY KEY,
  session   TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  place     TEXT NOT NULL,
  branches  TEXT NOT NULL,
  base      TEXT NOT NULL,
  files     TEXT NOT NULL,
  head      TEXT,
  start     TEXT,
  at        REAL NOT NULL,
  continues TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX chains_by_place ON chains (place);
