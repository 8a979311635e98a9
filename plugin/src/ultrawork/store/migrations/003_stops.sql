-- Every decision about a stop: what was decided, by which rule, from which facts, and what would change it.
CREATE TABLE decisions (
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  at      REAL NOT NULL,
  event   TEXT NOT NULL,
  action  TEXT NOT NULL,
  rule    TEXT NOT NULL,
  because TEXT NOT NULL,
  clears  TEXT NOT NULL,
  counts  INTEGER NOT NULL,
  tree    TEXT NOT NULL,
  told    TEXT NOT NULL,
  text    TEXT NOT NULL,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
