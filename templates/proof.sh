#!/bin/sh
# Proof in CI: what a pull request, a merge queue or a push is worth. GitHub and GitLab call this with variables.
#
#   PROOF_BASE   the branch whose policy, keys and checks count (main)
#   PROOF_HEAD   the commit to check: a pull request's head, a merge group's commit, or what was pushed
#   PROOF_MERGE  what the checkout holds, if that is a merge of the head (optional)
#   PROOF_EVENT  pull_request, merge_group, push
#   PROOF_MODE   verify (default): run the checks, and compare with the proof
#                cover: print which checks need not run; it never fails, every doubt runs
#   PROOF_SUMMARY, PROOF_OUTPUT  files to append the summary and the outputs to (optional)
#   PROOF_PAGE   a file for the summary alone (optional)
#
# Nothing here needs a token that may write, so it works for forks.
set -eu

ultrawork=${ULTRAWORK:-$(dirname "$0")/../plugin/bin/ultrawork}
base=${PROOF_BASE:?name the baseline branch}
head=${PROOF_HEAD:-HEAD}
event=${PROOF_EVENT:-push}
mode=${PROOF_MODE:-verify}
output=${PROOF_OUTPUT:-/dev/null}
summary=${PROOF_SUMMARY:-/dev/null}
remote=${PROOF_REMOTE:-origin}
if [ -z "${ULTRAWORK_HOME:-}" ]; then
    ULTRAWORK_HOME=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/ultrawork-proof
    export ULTRAWORK_HOME
fi

# The baseline and the proofs as the remote has them now, not as the branch or an old checkout says.
prepare() {
    git fetch --quiet --no-tags "$remote" "+refs/heads/$base:refs/remotes/$remote/$base" || return 1
    git update-ref -d refs/notes/ultrawork || return 1
    if git ls-remote --exit-code "$remote" refs/notes/ultrawork >/dev/null; then
        git fetch --quiet --no-tags "$remote" "+refs/notes/ultrawork:refs/notes/ultrawork" || return 1
    fi
    git cat-file -e "$head^{commit}" 2>/dev/null || git fetch --quiet --no-tags "$remote" "$head"
}

set -- evidence check "$head" --baseline "$remote/$base"
if [ "$mode" = cover ]; then
    covered=
    if prepare; then covered=$("$ultrawork" "$@" --cover | tr '\n' ' '); fi
    covered=${covered% }
    echo "covered=$covered" >>"$output"
    echo "ultrawork: need not run again: ${covered:-nothing}"
    exit 0
fi
if [ "$mode" != verify ]; then
    echo "ultrawork: PROOF_MODE is $mode; use verify or cover" >&2
    exit 2
fi

prepare
# What main had, and where this branch left it, is in no shallow clone.
if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    git fetch --quiet --no-tags --unshallow "$remote"
fi
if [ -n "${PROOF_MERGE:-}" ]; then
    set -- "$@" --merge "$PROOF_MERGE"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
told=$scratch/told page=${PROOF_PAGE:-$scratch/page.md}
status=0
# A merge group must always get an answer. Where its files are those of a proved head, that is one; else it runs.
if [ "$event" = merge_group ]; then
    "$ultrawork" "$@" --summary "$page" --annotations >"$told" || status=$?
fi
if [ "$event" != merge_group ] || [ "$status" -ne 0 ]; then
    status=0
    "$ultrawork" "$@" --rerun --summary "$page" --annotations >"$told" || status=$?
fi
cat "$told"
if [ -f "$page" ]; then cat "$page" >>"$summary"; fi
verdict=$(sed -n '1s/[, ].*//p' "$told")
echo "verdict=${verdict:-UNVERIFIED}" >>"$output"
exit "$status"
