"""`ultrawork serve-git`: a git remote for a cluster that has none."""

import sys

from ...cluster.git_server import PORT, GitServer, make_repository, name_token_file
from ...cluster.place import GIT_TOKEN, GIT_TOKEN_FILE
from ...core.check import require_task_id
from ...core.errors import UsageError
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import NUMBER, Args, Flag


def serve(args: Args, env: VerbEnvironment) -> Result:
    name = require_task_id(args.rest[0]) if args.rest else "project"
    certificate, key = args.text("--tls-cert"), args.text("--tls-key")
    if (certificate is None) != (key is None):
        raise UsageError("--tls-cert and --tls-key belong together; give both")
    make_repository(env.store.home, env.environ, name)
    port = args.number("--port", high=65_535)
    server = GitServer(
        env.store.home,
        env.environ,
        address=(args.text("--address") or "127.0.0.1", PORT if port is None else port),
        tls=(certificate, key) if certificate and key else None,
    )
    given = env.environ.get(GIT_TOKEN_FILE) or (
        f"${GIT_TOKEN}" if env.environ.get(GIT_TOKEN) else ""
    )
    token = given or name_token_file(f"{env.store.home.root}/git")
    sys.stderr.write(f"cluster.remote  {server.url}/{name}.git\n{GIT_TOKEN_FILE}  {token}\n")
    sys.stderr.flush()
    server.serve()
    return Result({"url": server.url})


COMMANDS = (
    Command(
        "",
        "Serve a bare repository to the machines of a cluster: a token always, loopback without TLS",
        serve,
        flags=(
            Flag("--port", f"where ({PORT})", kind=NUMBER),
            Flag("--address", "which address is served (127.0.0.1)", metavar="HOST"),
            Flag("--tls-cert", "a certificate, for others than this machine", metavar="FILE"),
            Flag("--tls-key", "its key", metavar="FILE"),
        ),
        rest="[NAME]",
        example="ultrawork serve-git --address 0.0.0.0 --tls-cert git.pem --tls-key git.key",
    ),
)
