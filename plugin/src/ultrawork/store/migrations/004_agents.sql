-- Agents that were started for a session: by which call, for which task or explorer, and how they ended.
CREATE TABLE agents (
  session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  call       TEXT NOT NULL,
  role       TEXT NOT NULL,
  subject    TEXT NOT NULL,
  model      TEXT NOT NULL,
  asked_at   REAL NOT NULL,
  agent      TEXT,
  started_at REAL,
  ended_at   REAL,
  PRIMARY KEY (session, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX agents_by_agent ON agents (session, agent);

-- Paths that a running task may write and others may not.
CREATE TABLE leases (
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  path    TEXT NOT NULL,
  task    TEXT NOT NULL,
  at      REAL NOT NULL,
  PRIMARY KEY (session, path)
) STRICT, WITHOUT ROWID;
