-- Every try of an agent that the engine has made, and what it was allowed to spend.
CREATE TABLE attempts (
  session         TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  subject         TEXT NOT NULL,
  epoch           INTEGER NOT NULL,
  role            TEXT NOT NULL,
  backend         TEXT NOT NULL,
  model           TEXT NOT NULL,
  state           TEXT NOT NULL,
  folder          TEXT NOT NULL,
  claimed_at      REAL NOT NULL,
  started_at      REAL,
  ended_at        REAL,
  code            INTEGER,
  why             TEXT NOT NULL,
  status          TEXT NOT NULL,
  reason          TEXT NOT NULL,
  reserved_tokens INTEGER NOT NULL,
  reserved_usd    REAL NOT NULL,
  tokens          INTEGER NOT NULL,
  cost_usd        REAL,
  result          TEXT NOT NULL,  -- the commit that holds what it made
  PRIMARY KEY (session, subject, epoch)
) STRICT, WITHOUT ROWID;
-- Those at work, of whichever session: a provider's limits hold for all of them together.
CREATE INDEX attempts_at_work ON attempts (backend, session) WHERE state = 'running';

-- What somebody asks of a running engine; whoever may write the database may ask.
CREATE TABLE controls (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  at      REAL NOT NULL,
  actor   TEXT NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  value   TEXT NOT NULL,
  done_at REAL
) STRICT;
CREATE INDEX controls_open ON controls (session, id) WHERE done_at IS NULL;

-- How often each provider may still be asked, and until when it wants not to be.
CREATE TABLE providers (
  name          TEXT PRIMARY KEY,
  remaining     REAL NOT NULL,
  at            REAL NOT NULL,
  blocked_until REAL NOT NULL
) STRICT, WITHOUT ROWID;
