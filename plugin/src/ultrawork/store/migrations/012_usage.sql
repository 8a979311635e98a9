-- What clients report of the tokens of sessions that run inside them, one row a message, and what an agent claimed at a stop.
CREATE TABLE transcripts (
  session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  client  TEXT NOT NULL,
  path    TEXT NOT NULL,
  read_at REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  message     TEXT NOT NULL,  -- the client's own id
  at          REAL NOT NULL,
  agent       TEXT NOT NULL,  -- empty for the agent that the user talks to
  model       TEXT NOT NULL,
  tokens      INTEGER NOT NULL,
  cost_usd    REAL,
  estimated   INTEGER NOT NULL,  -- the cost is our price of the client's token counts
  PRIMARY KEY (session, message)
) STRICT, WITHOUT ROWID;

ALTER TABLE decisions ADD COLUMN claim TEXT NOT NULL DEFAULT '';  -- claimed, refuted by a check, or none
