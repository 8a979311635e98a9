"""Which files may leave a machine with a run: uncommitted ones only with the user's consent, secrets never."""

_NAMES = frozenset(
    (
        ".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd", ".pgpass",
        "credentials", "credentials.json", "credentials.toml", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
        "secrets.json", "secrets.toml", "secrets.yaml", "secrets.yml", "secret.key", "token.txt",
    )
)  # fmt: skip
_ENDS = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".ovpn")
_SAMPLES = (".example", ".sample", ".template", ".dist")
_SHOWN = 10


def is_secret_file(path: str) -> bool:
    """Return whether a file holds keys, by its usual name; samples do not count."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(_SAMPLES):
        return False
    return name in _NAMES or name.startswith(".env.") or name.endswith(_ENDS)


def find_secret_refusal(paths: list[str]) -> str:
    """Return a sentence if one of these must not leave, else nothing."""
    found = [path for path in paths if is_secret_file(path)]
    if not found:
        return ""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return (
        f"{found[0]}{more} looks like a secret, is not committed and would be pushed; add it to .gitignore,"
        " or move it away"
    )


def shorten_list(paths: list[str]) -> list[str]:
    """Return the first paths for a question, and how many more there are."""
    more = len(paths) - _SHOWN
    return [*paths[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
