"""Records what the real runners print: `python tests/gates/results/record.py [variant ...]`."""

import os
import subprocess
import sys
import tempfile

import conftest


def record(variant):
    sample, argv = conftest.COMMANDS[variant]
    with tempfile.TemporaryDirectory() as place:
        folder = conftest.copy_sample(sample, os.path.join(place, "project"))
        if argv[0].startswith(conftest.BIN):
            modules = os.path.join(conftest.TOOLS, "node_modules")
            os.symlink(modules, os.path.join(folder, "node_modules"))
        done = subprocess.run(
            argv,
            cwd=folder,
            env=conftest.plain_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=240,
            check=False,
        )
    text = done.stdout.decode().replace(folder, "/project").replace(conftest.TOOLS, "/tools")
    text = text.replace(sys.prefix, "/venv").replace(sys.base_prefix, "/python")
    text = text.replace(os.path.expanduser("~"), "/home/someone")
    with open(os.path.join(conftest.HERE, "recorded", variant + ".txt"), "w") as file:
        file.write(text)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or conftest.COMMANDS:
        record(chosen)
