"""Which files may leave a machine."""

import pytest

from ultrawork.core.run.departure import find_secret_refusal, is_secret_file, shorten_list


@pytest.mark.parametrize(
    "path",
    [
        ".env", "app/.env.local", "deploy/server.pem", "keys/id_ed25519", "home/.NPMRC", "credentials.json", "tls.key",
        "prod.env", ".env-prod", "id_rsa.bak", "id_ed25519_work", "server.pem.old", "service-account-3f.json", ".aws/config",
        "client_secret_12.json", "infra/prod.tfvars", "terraform.tfstate", "passwords.txt", "auth.json", "deploy/.ssh/config",
        "terraform.tfstate.backup", "AuthKey_3F.p8", "token.json", "password.txt", ".my.cnf",
    ],
)  # fmt: skip
def test_what_people_keep_secrets_in_is_a_secret(path):
    assert is_secret_file(path)
    assert f"{path} looks like a secret" in find_secret_refusal(["a.py", path])


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        "src/key.py",
        "docs/credentials.md",
        "monkey",
        "tokens.txt",
        "id_rsa.pub",
        "src/secrets.py",
        "environment.ts",
        "password_field.vue",
        "keyboard.json",
    ],
)
def test_what_only_sounds_like_a_secret_is_none(path):
    assert find_secret_refusal([path]) == ""


def test_a_long_list_is_shortened_and_counted():
    assert shorten_list(["a"]) == ["a"]
    assert shorten_list([f"f{n}" for n in range(30)])[-1] == "and 20 more"
