#!/usr/bin/env node
// The documents call the script of this name by `bun`.
const { spawnSync } = require("child_process");
const script = require("path").join(__dirname, "../../scripts/session-get.sh");
const done = spawnSync(script, process.argv.slice(2), { stdio: "inherit" });
process.exit(done.status === null ? 6 : done.status);
