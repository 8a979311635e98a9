"""What `bin/ultrawork-hook` runs: `-I` keeps this folder off the path, so the package's own is put there."""

import sys

sys.path.insert(0, __file__.rsplit("/", 3)[0])
from ultrawork.hooks.main import entry

entry()
