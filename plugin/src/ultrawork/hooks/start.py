"""The entry point of `bin/ultrawork-hook`: `-I` keeps this folder off the path, so the package's own is added."""

import gc
import sys

gc.set_threshold(50_000)  # most events end before there is anything worth collecting
sys.path.insert(0, __file__.rsplit("/", 3)[0])
from ultrawork.loading import find_quickly  # noqa: E402 (the two lines above come first)

find_quickly()
from ultrawork.hooks.main import run  # noqa: E402 (found the quick way)

run()
