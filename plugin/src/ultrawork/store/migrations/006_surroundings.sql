-- What lies around the files of a session when it begins: settings, variables, remotes, programs.
ALTER TABLE pins ADD COLUMN around TEXT NOT NULL DEFAULT '{}';
