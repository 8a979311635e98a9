import os
import subprocess
import sys

import pytest

from support import clients
from support.floor import TESTS
from support.process import ClientError

# A double of npm: knows three versions, the newest of which does not start; notes each install.
NPM = """\
#!/bin/sh
here="$(dirname "$0")"
if [ -e "$here/broken" ]; then echo "registry unreachable" >&2; exit 1; fi
if [ "$1" = view ]; then echo '["1.0.9", "1.0.10", "1.0.2", "2.0.0-beta"]'; exit; fi
for last; do :; done
echo "$last" >> "$here/installs"
sleep 0.2
mkdir -p "$3/node_modules/.bin"
status=0; case "$last" in *@1.0.10) status=1;; esac
printf '#!/bin/sh\\nexit %s\\n' $status > "$3/node_modules/.bin/codex"
chmod +x "$3/node_modules/.bin/codex"
"""


@pytest.fixture
def npm(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "npm").write_text(NPM)
    (folder / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("ULTRAWORK_TOOLS", str(tmp_path / "tools"))
    return folder


def installs(npm):
    return (npm / "installs").read_text().split()


def test_a_version_is_installed_once_into_a_folder_of_its_own(npm, tmp_path):
    first = clients.program(clients.CODEX, "1.0.9")
    assert first == clients.program(clients.CODEX, "1.0.9")
    assert first == str(tmp_path / "tools/codex/1.0.9/node_modules/.bin/codex")
    assert installs(npm) == ["@openai/codex@1.0.9"]


def test_without_a_wish_the_pinned_version_is_taken(npm):
    assert f"/{clients.PINNED[clients.CODEX]}/" in clients.program(clients.CODEX)


def test_the_latest_is_the_newest_that_starts_and_is_remembered(npm, monkeypatch):
    monkeypatch.setenv("ULTRAWORK_CLIENTS", clients.LATEST)
    assert "/1.0.9/" in clients.program(clients.CODEX)
    assert "/1.0.9/" in clients.program(clients.CODEX)
    assert installs(npm) == ["@openai/codex@1.0.10", "@openai/codex@1.0.9"]


def test_processes_that_ask_at_once_install_once(npm):
    command = "from support import clients; clients.program(clients.CODEX, '1.0.9')"
    asking = [subprocess.Popen([sys.executable, "-c", command], cwd=TESTS) for _ in range(3)]
    assert [child.wait(30) for child in asking] == [0, 0, 0]
    assert installs(npm) == ["@openai/codex@1.0.9"]


def test_a_client_that_does_not_start_is_an_error_and_is_tried_again(npm):
    for _ in range(2):
        with pytest.raises(ClientError, match="does not start"):
            clients.program(clients.CODEX, "1.0.10")
    assert len(installs(npm)) == 2


def test_a_failing_npm_is_told_with_its_words(npm):
    (npm / "broken").touch()
    with pytest.raises(ClientError, match="registry unreachable"):
        clients.program(clients.CODEX, "1.0.9")


def test_a_missing_npm_is_told_with_what_to_do(npm, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClientError, match="npm is not on the PATH; install Node"):
        clients.program(clients.CODEX, "1.0.9")
