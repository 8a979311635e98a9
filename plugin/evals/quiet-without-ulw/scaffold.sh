set -eu
printf 'for page in ["one", "two"]:\n    print(page)\n' >report.py
git init -q .
git add -A
git -c user.name=eval -c user.email=eval@example.org commit -q -m start
