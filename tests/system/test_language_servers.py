import os

import pytest

from ultrawork.core.errors import NotFound
from ultrawork.system import language_servers as servers


def program(folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def bare_path(tmp_path, monkeypatch):
    (tmp_path / "path").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    return tmp_path / "path"


def test_eighteen_languages_are_known_and_no_extension_twice():
    extensions = [end for language in servers.list_languages() for end in language.ids]
    assert len(servers.list_languages()) == 18
    assert len(extensions) == len(set(extensions))


def test_the_projects_own_server_comes_before_one_on_path(tmp_path, bare_path):
    program(bare_path, "basedpyright-langserver")
    own = program(tmp_path / "app" / ".venv" / "bin", "pylsp")
    assert servers.find(str(tmp_path / "app" / "a.py"), str(tmp_path)).program == own


def test_in_a_sandbox_no_program_of_the_project_is_run(tmp_path, bare_path):
    program(tmp_path / "app" / ".venv" / "bin", "pylsp")
    with pytest.raises(NotFound):
        servers.find(str(tmp_path / "app" / "a.py"), str(tmp_path), own=False)


def test_before_the_person_said_so_one_of_the_system_is_taken(tmp_path, bare_path):
    program(tmp_path / "app" / ".venv" / "bin", "pylsp")
    system = program(bare_path, "basedpyright-langserver")
    found = servers.find(str(tmp_path / "app" / "a.py"), str(tmp_path / "app"), own=False, cure="say so")
    assert (found.program, found.own) == (system, False)


def test_before_the_person_said_so_what_to_say_is_told(tmp_path, bare_path):
    program(tmp_path / ".venv" / "bin", "pylsp")
    with pytest.raises(NotFound) as told:
        servers.find(str(tmp_path / "a.py"), str(tmp_path), own=False, cure="say so")
    assert str(told.value) == (
        ".venv/bin/pylsp is part of this checkout, and starts only after the user allows it: say so"
    )


def test_a_server_of_the_system_that_runs_code_of_the_checkout_waits_too(tmp_path, bare_path):
    program(bare_path, "rust-analyzer")
    with pytest.raises(NotFound, match="rust-analyzer runs code of this checkout, and starts only"):
        servers.find(str(tmp_path / "a.rs"), str(tmp_path / "app"), own=False, cure="say so")


def test_a_path_that_leads_into_the_checkout_is_no_system(tmp_path, bare_path):
    program(bare_path, "pylsp")
    with pytest.raises(NotFound):
        servers.find(str(tmp_path / "a.py"), str(tmp_path), own=False, cure="say so")


def test_a_server_in_the_node_modules_above_is_found(tmp_path, bare_path):
    own = program(tmp_path / "node_modules" / ".bin", "typescript-language-server")
    assert servers.find(str(tmp_path / "web" / "src" / "a.tsx"), str(tmp_path)).program == own


def test_nothing_above_the_worktree_is_looked_at(tmp_path, bare_path):
    program(tmp_path / "node_modules" / ".bin", "typescript-language-server")
    with pytest.raises(NotFound):
        servers.find(str(tmp_path / "web" / "a.ts"), str(tmp_path / "web"))


def test_a_missing_server_is_said_with_the_command_that_installs_it(tmp_path, bare_path):
    with pytest.raises(NotFound, match=r"go install golang\.org/x/tools/gopls@latest"):
        servers.find(str(tmp_path / "a.go"), str(tmp_path))


def test_an_unknown_kind_of_file_is_refused(tmp_path):
    with pytest.raises(NotFound, match=r'no known language server for "a\.xyz"'):
        servers.find(str(tmp_path / "a.xyz"), str(tmp_path))


def typescript(folder, version):
    package = folder / "node_modules" / "typescript"
    program(package / "bin", "tsc")
    (package / "package.json").write_text(f'{{"version": "{version}"}}')
    (folder / "node_modules" / ".bin").mkdir()
    os.symlink("../typescript/bin/tsc", folder / "node_modules" / ".bin" / "tsc")


def test_tsc_is_a_language_server_from_version_7_on(tmp_path, bare_path):
    typescript(tmp_path, "7.0.2")
    found = servers.find(str(tmp_path / "a.ts"), str(tmp_path))
    assert found.argv[1:] == ["--lsp", "--stdio"]


def test_an_older_tsc_is_not_taken_for_a_server(tmp_path, bare_path):
    typescript(tmp_path, "6.0.3")
    with pytest.raises(NotFound):
        servers.find(str(tmp_path / "a.ts"), str(tmp_path))


def test_the_folder_served_is_the_nearest_project(tmp_path, bare_path):
    program(bare_path, "pylsp")
    (tmp_path / "app" / "inner").mkdir(parents=True)
    (tmp_path / "app" / "pyproject.toml").touch()
    found = servers.find(str(tmp_path / "app" / "inner" / "a.py"), str(tmp_path))
    assert found.folder == str(tmp_path / "app")
    assert found.language.ids[".py"] == "python"
