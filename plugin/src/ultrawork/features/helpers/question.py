"""A question to another model's program: read from a client's input, checked by real paths, turned into a prompt.

Nothing outside the working folder is read or written, a link out of it leads nowhere, and no key is passed on. The
words before a colon in a refusal are document 004's, for scripts that look for them."""

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

from ...content.library import get_prompt
from ...core.check import find_nearest, quote
from ...core.errors import Trouble, UsageError
from ...core.redact import redact
from ...core.reviews import FORM, REVIEW_ROLES
from ...store.atomic import list_folder, read_text
from .values import helpers
from .values.helpers import Helper

WORKDIR = "E_WORKDIR_INVALID"
PROMPT_OUTSIDE = "E_PATH_OUTSIDE_WORKDIR_PROMPT"
NOT_RESOLVED = "E_PATH_RESOLUTION_FAILED"
OUTPUT_OUTSIDE = "E_PATH_OUTSIDE_WORKDIR_OUTPUT"
NOT_WRITTEN = "E_WRITE_FAILED"
POLICY = "OMC_MCP_OUTPUT_PATH_POLICY"
REDIRECT = "redirect_output"


@dataclass(slots=True)
class Question:
    """A question as asked."""

    text: str
    _: KW_ONLY
    role: str = ""
    files: list[str] = field(default_factory=list)
    prompt_file: str = ""
    output_file: str = ""
    effort: str = ""
    folder: str = ""
    write: bool = False
    ends_with_session: bool = False


class AskingPlace:
    """`top` is the worktree, `folder` where the helper should look; both as real paths."""

    def __init__(self, top: str, folder: str, environ: Mapping[str, str]) -> None:
        self.top = top
        self.environ = environ
        self.folder = self._find_folder(folder)

    def _find_folder(self, given: str) -> str:
        path = _real(os.path.join(self.top, given or "."))
        if not _is_below(path, self.top) or not os.path.isdir(path):
            raise UsageError(f"{WORKDIR}: {quote(given)} is not a folder of this worktree")
        return path

    def read_prompt_file(self, given: str) -> str:
        path = self._find(given, PROMPT_OUTSIDE)
        return self._read(path, given, helpers.LARGEST_FILE)

    def read_context(self, names: list[str]) -> list[tuple[str, str]]:
        context: list[tuple[str, str]] = []
        most_context = helpers.MOST_CONTEXT
        for name in names:
            path = self._find(name, PROMPT_OUTSIDE)
            text = self._read(path, name, helpers.LARGEST_FILE)
            most_context -= len(text)
            if most_context < 0:
                raise UsageError("the files have more than 10 MB in total; name fewer or smaller ones")
            context.append((os.path.relpath(path, self.folder), text))
        return context

    def _find(self, given: str, token: str) -> str:
        path = _real(os.path.join(self.folder, given))
        if not _is_below(path, self.folder):
            raise UsageError(f"{token}: {quote(given)} is outside the working folder; name a path inside it")
        if helpers.is_private_path(os.path.relpath(path, self.top)):
            raise UsageError(f"{token}: {quote(given)} may contain secrets, so it is never sent")
        return path

    def _read(self, path: str, given: str, most: int) -> str:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(handle, "rb") as file:
                data = file.read(most + 1)
        except OSError as error:
            raise UsageError(f"{NOT_RESOLVED}: could not read {quote(given)}: {error.strerror}") from None
        if len(data) > most:
            raise UsageError(f"{quote(given)} is larger than 5 MB; name a smaller part of it")
        return data.decode("utf-8", "replace")

    def find_output(self, given: str) -> str:
        """Return where an answer may be written; outside the folder only if the user's environment redirects it to the
        folder for such answers."""
        path = _real(os.path.join(self.folder, given))
        if _is_below(path, self.folder) and path != self.folder:
            if not helpers.is_answer_place(os.path.relpath(path, self.top)):
                raise UsageError(f"{OUTPUT_OUTSIDE}: an answer cannot be written to {quote(given)}")
            return path
        if self.environ.get(POLICY) == REDIRECT and os.path.basename(given):
            return f"{self.folder}/.omc/outputs/{os.path.basename(given)}"
        raise UsageError(f"{OUTPUT_OUTSIDE}: {quote(given)} is outside the working folder; name a file inside it")

    def write_output(self, path: str, text: str) -> None:
        """Write the answer; check the place again, because a link may have been put there."""
        from ...store.atomic import write

        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if _real(path) != path or not _is_below(path, self.folder):
                raise UsageError(f"{OUTPUT_OUTSIDE}: {quote(path)} now leads outside the folder")
            write(path, text, mode=0o644)
        except OSError as error:
            raise Trouble(f"{NOT_WRITTEN}: {quote(path)}: {error.strerror}") from None


def read_role(name: str, root: str) -> str:
    """Return the words of an agent of the catalogue; empty for no role."""
    name = name.strip()
    if not name:
        return ""
    if not helpers.is_role(name):
        raise UsageError(f"{quote(name)} is not a role; use lower-case letters, digits and dashes")
    text = read_text(f"{root}/agents/{name}.md")
    if text is None:
        near = find_nearest(name, list_roles(root))
        hint = f"did you mean {near}?" if near else "see ultrawork content list --agents"
        raise UsageError(f"no role {quote(name)}; {hint}")
    return get_prompt(text)


def list_roles(root: str) -> list[str]:
    return [name[:-3] for name in list_folder(f"{root}/agents") if name.endswith(".md")]


def make_prompt(question: Question, place: AskingPlace, root: str, nonce: str) -> str:
    """Return the whole prompt, without anything that looks like a key."""
    file = question.text
    if question.prompt_file:
        file = place.read_prompt_file(question.prompt_file)
    elif len(file.encode("utf-8", "replace")) > helpers.LONGEST_PROMPT:
        raise UsageError("the prompt is longer than 256 KB; put it into a file: prompt_file")
    if not file.strip():
        raise UsageError("the prompt is empty; write a question")
    if question.role in REVIEW_ROLES:
        file = f"{file.strip()}\n\n{FORM}"
    files = place.read_context(question.files)
    role = read_role(question.role, root)
    return redact(helpers.build_prompt(file, role, files, nonce, writes=question.write), place.environ)


def choose_models(helper: Helper, model: str, chain: list[str], environ: Mapping[str, str]) -> list[str]:
    """Return the models; the user's setting wins over the variable, that over the table."""
    if model.strip() or not chain:
        return helpers.list_models(helper, model, environ.get(helper.variable, ""))
    return list(dict.fromkeys(chain))


def _real(path: str) -> str:
    if "\0" in path:
        raise UsageError(f"{NOT_RESOLVED}: {quote(path)} is not a path")
    return os.path.realpath(path)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
