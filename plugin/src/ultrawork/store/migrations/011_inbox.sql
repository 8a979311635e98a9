-- What the person has seen and answered of what sessions asked or came to, and each notification that was sent of it.
CREATE TABLE inbox (
  item        TEXT PRIMARY KEY,
  session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seen_at     REAL,
  answered_at REAL,
  answer      TEXT NOT NULL DEFAULT '',
  how         TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
  item    TEXT NOT NULL,
  channel TEXT NOT NULL,
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  at      REAL NOT NULL,
  state   TEXT NOT NULL,  -- known (at the first look), held (quiet hours, one a minute), sent, failed
  why     TEXT NOT NULL,
  PRIMARY KEY (item, channel)
) STRICT, WITHOUT ROWID;
