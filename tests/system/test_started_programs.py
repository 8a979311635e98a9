"""Every place that starts a program, and what of the agent's it hands on: keys are withheld in one place for all."""

import ast
import os
from contextlib import closing

import pytest

from support.floor import PLUGIN
from ultrawork.codeintel.child_process import make_environment
from ultrawork.codeintel.repl import PythonSessions
from ultrawork.system.git import Git

WHOLE = ("subprocess.run", "os.system")
STARTS = {"Popen", "posix_spawn", "create_subprocess_exec", "run_program", "ask_program"}
# Programs of the project, or that obey it: none of the agent's keys.
PROJECT = {
    "codeintel.isolated": "make_environment",
    "codeintel.lsp.client": "its caller's, which is make_environment",
    "codeintel.lsp.directory_diagnostics": "make_environment",
    "codeintel.repl_process": "its caller's, which is make_environment",
    "engine.repository.git_hooks": "remove_agent_variables",
    "engine.repository.worktrees": "remove_agent_variables, for the setup command",
    "clients.confinement": "remove_agent_variables",
    "gates.run.execution": "build_environment",
    "gates.run.seals": "its caller's, which is build_environment",
    "gates.session.preparation": "build_environment",
    "proof.signature": "its caller's, which is the person's: the key is theirs",
    "system.git": "remove_agent_variables",
    "cli.headless.trial_runner": "remove_agent_variables for the check; the agent's command brings its own",
    "cli.verbs.doctor": "remove_agent_variables",
    "cli.verbs.doctor_surroundings": "remove_agent_variables",
    "clients.claude.listing": "its caller's: the client lists its own sessions",
    "cli.verbs.statusline": "its caller's: the client would start that status line so",
    "clients.installation": "remove_agent_variables",
    "clients.codex.trust": "its caller's, which is remove_agent_variables",
}
# Nothing but a few names that are written there.
BARE = {
    "cluster.git_server",
    "clients.claude.context_cost",
    "engine.agents.local.fork_server",
    "gates.judge.file_checks",
    "gates.trees.scratch",
    "system.ancestry",
    "system.process_tree",
}
# An agent keeps its own key and takes no session: remove_session_variables.
AGENTS = {"clients.headless.base", "engine.agents.local.wrapper"}
# The agent of tests and demos is an agent, and what it runs is run by it.
SCRIPTED = {"clients.headless.script_agent"}
# Our own program, and what the demo of it looks at.
OURS = {
    "hooks.process",
    "hooks.setup",
    "cli.verbs.doctor_hooks",
    "cli.verbs.demo",
    "features.swarm.team.crew",
    "sight.acts",
    "sight.dashboard",
}
# They start what they are given, with the variables that they are given.
CARRIERS = {"system.process", "system.program"}
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "CODEX_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")


def starting_modules():
    found = set()
    for folder, _, names in os.walk(f"{PLUGIN}/src/ultrawork"):
        for name in names:
            path = f"{folder}/{name}"
            if name.endswith(".py") and starts_something(path):
                inner = os.path.relpath(path, f"{PLUGIN}/src/ultrawork").removesuffix(".py")
                found.add(inner.replace("/", "."))
    return found


def starts_something(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # Most modules hold none of the words, and parsing is what takes the time.
    if not any(word in text for word in (*STARTS, *WHOLE)):
        return False
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and called(node) in STARTS:
            return True
        # As an argument: `asyncio.to_thread(run_program, …)`.
        if isinstance(node, ast.Call) and any(named(one) in STARTS for one in node.args):
            return True
        if isinstance(node, ast.Attribute) and ast.unparse(node) in WHOLE:
            return True
    return False


def called(node):
    return named(node.func)


def named(node):
    return getattr(node, "attr", None) or getattr(node, "id", None)


def test_every_place_that_starts_a_program_is_known():
    known = {*PROJECT, *BARE, *AGENTS, *SCRIPTED, *OURS, *CARRIERS}
    assert starting_modules() == known


@pytest.fixture
def keyed(monkeypatch):
    for name in KEYS:
        monkeypatch.setenv(name, "secret-of-the-agent")


def test_what_answers_questions_about_code_has_no_key(keyed):
    assert not set(KEYS) & set(make_environment())
    assert not set(KEYS) & set(make_environment(venv="/v"))


def test_a_python_session_sees_no_key(keyed, tmp_path):
    with closing(PythonSessions(str(tmp_path))) as sessions:
        outcome = sessions.get("keys", str(tmp_path)).execute("import os; print(sorted(os.environ))", seconds=30)
    assert "PATH" in outcome.out
    assert [name for name in KEYS if name in outcome.out] == []


def test_git_and_what_it_starts_see_no_key(keyed, tmp_path):
    told = Git(str(tmp_path), os.environ).answer(["-c", "alias.look=!env", "look"]).out.decode()
    assert "PATH=" in told
    assert "secret-of-the-agent" not in told
