# Made from content/evals.toml by `make generate`.
set -eu
cat >'report.py' <<'END_OF_FILE'
for page in ["one", "two"]:
    print(page)
END_OF_FILE
git init -q .
git add -A
git -c user.name=eval -c user.email=eval@example.org commit -q -m start
