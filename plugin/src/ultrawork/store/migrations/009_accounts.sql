-- Whose account pays: of each attempt, and of the agent programs of each machine.
ALTER TABLE attempts ADD COLUMN account TEXT NOT NULL DEFAULT '';
ALTER TABLE machines ADD COLUMN accounts TEXT NOT NULL DEFAULT '';
