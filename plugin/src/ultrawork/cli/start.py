"""The entry point of the launchers: `-I` keeps this folder off the path, so the package's own is added."""

import gc
import sys

gc.set_threshold(50_000)  # most verbs end before there is anything worth collecting
sys.path.insert(0, __file__.rsplit("/", 3)[0])
from ultrawork.loading import find_quickly  # noqa: E402 (the two lines above come first)

find_quickly()
if sys.argv[1:2] == ["statusline"]:
    import os

    from ultrawork.cli.quick_line import answer_quickly

    answer_quickly(sys.argv[2:], os.environ)
from ultrawork.cli.main import entry  # noqa: E402 (found the quick way)

entry()
