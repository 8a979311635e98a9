import pytest

from ultrawork.core.permission.command_table import are_harmless

CLONED = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[remote "origin"]
\turl = https://example.org/a.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
# a comment
; another
[user] name = A
"""


def test_what_a_clone_writes_is_harmless():
    assert are_harmless(CLONED)
    assert are_harmless(CLONED.replace("\n", "\r\n"))
    assert are_harmless("")


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\tfsmonitor = ./evil",
        "[CORE]\nFsMonitor=./evil",
        "[core] fsmonitor = ./evil",
        "[core]\n\tfilemode = true \\\n\tfsmonitor = x",
        "[core]\n\tpager = ./evil",
        "[core]\n\tsshCommand = ./evil",
        "[core]\n\thooksPath = .evil",
        "[core]\n\tworktree = /",
        "[core]\n\tattributesFile = x",
        "[diff]\n\texternal = ./evil",
        '[diff "a"]\n\ttextconv = ./evil',
        '[diff "a"]\n\tcommand = ./evil',
        '[filter "a"]\n\tclean = ./evil',
        '[filter "a"]\n\tprocess = ./evil',
        "[alias]\n\tstatus = !./evil",
        "[include]\n\tpath = ../evil",
        '[includeIf "gitdir:/"]\n\tpath = ../evil',
        '[submodule "a"]\n\tupdate = !./evil',
        "[pager]\n\tstatus = ./evil",
        "[gpg]\n\tprogram = ./evil",
        '[remote "o"]\n\tuploadpack = ./evil',
        '[remote "o"]\n\tpromisor = true',
        "[extensions]\n\tpartialClone = o",
        "[log]\n\tshowSignature = true",
        "[core.x]\n\tfilemode = true",
        "fsmonitor = ./evil",
        "[core\n\tfilemode = true",
        "[core]\n\tfilemode = true\0",
    ],
)
def test_what_may_name_a_program_is_not(text):
    assert not are_harmless(text)
    assert not are_harmless(CLONED + text)
