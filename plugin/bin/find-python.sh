# Prints the path of a real Python (never a shim) that is new enough, and remembers it below the state folder $1.
probe='import sys, _sqlite3
sys.version_info >= (3, 11) or sys.exit(1)
print(getattr(sys, "_base_executable", "") or sys.executable)'

ask() {
  "$1" -I -S -c "$probe" 2>/dev/null </dev/null
}

remember() {
  [ -n "$2" ] || return 0
  mkdir -p "$2/cache" 2>/dev/null && printf '%s\n' "$1" 2>/dev/null >"$2/cache/python.$$" &&
    mv -f "$2/cache/python.$$" "$2/cache/python"
  return 0
}

if [ -n "${ULTRAWORK_PYTHON-}" ]; then
  ask "$ULTRAWORK_PYTHON" && exit 0
  echo "ultrawork: ULTRAWORK_PYTHON ($ULTRAWORK_PYTHON) is no Python 3.11 or newer with sqlite3" >&2
  exit 6
fi
for name in python3 python3.14 python3.13 python3.12 python3.11 python \
  /usr/bin/python3 /usr/local/bin/python3 /opt/homebrew/bin/python3; do
  path=$(command -v "$name" 2>/dev/null) || continue
  if found=$(ask "$path"); then
    remember "$found" "${1-}"
    printf '%s\n' "$found"
    exit 0
  fi
done
echo "ultrawork: needs Python 3.11 or newer with sqlite3; install one, or set ULTRAWORK_PYTHON" >&2
exit 6
