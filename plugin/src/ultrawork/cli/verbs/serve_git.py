"""`ultrawork serve-git`: a git remote for a cluster that has none."""

import sys

from ...cluster.git_server import PORT, GitServer, make_repository, name_token_file
from ...cluster.place import GIT_TOKEN, GIT_TOKEN_FILE
from ...core.check import require_task_id
from ...core.errors import UsageError
from ..command import Command, Result
from ..environment import NUMBER, Args, Flag, VerbEnvironment


def serve(args: Args, env: VerbEnvironment) -> Result:
    name = require_task_id(args.rest[0]) if args.rest else "project"
    certificate, key = args.text("--tls-cert"), args.text("--tls-key")
    if (certificate is None) != (key is None):
        raise UsageError("--tls-cert needs --tls-key, and the reverse; give both")
    make_repository(env.store.home, env.environ, name)
    port = args.number("--port", high=65_535)
    server = GitServer(
        env.store.home,
        env.environ,
        address=(args.text("--address") or "127.0.0.1", PORT if port is None else port),
        tls=(certificate, key) if certificate and key else None,
    )
    given = env.environ.get(GIT_TOKEN_FILE) or (f"${GIT_TOKEN}" if env.environ.get(GIT_TOKEN) else "")
    token = given or name_token_file(f"{env.store.home.root}/git")
    sys.stderr.write(f"cluster.remote  {server.url}/{name}.git\n{GIT_TOKEN_FILE}  {token}\n")
    sys.stderr.flush()
    server.serve()
    return Result({"url": server.url})


COMMANDS = (
    Command(
        "",
        "Every machine needs the token; without TLS only this machine can connect",
        serve,
        flags=(
            Flag("--port", f"port ({PORT})", kind=NUMBER),
            Flag("--address", "address to listen on (127.0.0.1)", metavar="HOST"),
            Flag("--tls-cert", "TLS certificate; needed for other machines", metavar="FILE"),
            Flag("--tls-key", "key of the certificate", metavar="FILE"),
        ),
        rest="[NAME]",
        example="ultrawork serve-git\nultrawork serve-git --address 0.0.0.0 --tls-cert git.pem --tls-key git.key",
    ),
)
