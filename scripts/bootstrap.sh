#!/bin/sh
# Makes .venv with everything in requirements/dev.txt, once, and again when that file changes. Needs only a Python 3.13,
# which it finds on the PATH, through pyenv or through uv. Prints nothing when there is nothing to do.
set -eu
cd "$(dirname "$0")/.."

here=$PWD
stamp=.venv/.made-from
made_from="$(cksum <requirements/dev.txt) $here"
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$made_from" ]; then exit 0; fi

# A 3.13 that can make a virtual environment (Debian's own python3 cannot, without python3.13-venv).
serves() { "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 13))' >/dev/null 2>&1; }

find_python() {
    for candidate in python3.13 python3 python "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.13*/bin/python; do
        if serves "$candidate"; then echo "$candidate"; return 0; fi
    done
    if command -v uv >/dev/null 2>&1; then
        candidate=$(uv python find --no-project 3.13 2>/dev/null) ||
            { uv python install --quiet 3.13 >&2 && candidate=$(uv python find --no-project 3.13 2>/dev/null); } || return 1
        if serves "$candidate"; then echo "$candidate"; return 0; fi
    fi
    return 1
}

python=$(find_python) || {
    echo "No Python 3.13 found: install it with its venv module (pyenv install 3.13, uv python install 3.13, or your system's packages) and run make again." >&2
    exit 1
}

mkdir -p .local
# One at a time: a second make waits for the first.
lock=.local/bootstrap.lock
told=
until mkdir "$lock" 2>/dev/null; do
    [ -n "$told" ] || echo "Waiting for another make that is making .venv."
    told=yes
    owner=$(cat "$lock/pid" 2>/dev/null || echo)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then rm -rf "$lock"; continue; fi
    sleep 1
done
echo $$ >"$lock/pid"
trap 'rm -rf "$lock"' EXIT
trap 'exit 130' INT TERM
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$made_from" ]; then exit 0; fi

echo "Making .venv with $("$python" --version) and the pinned packages: one to three minutes, once (see .local/bootstrap.log)."
log=.local/bootstrap.log
if ! { "$python" -m venv --clear .venv &&
       .venv/bin/python -m pip install --disable-pip-version-check --require-hashes --requirement requirements/dev.txt; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    echo "The packages could not be installed; the whole log is $log. Run make again to go on." >&2
    exit 1
fi

# What is imported from this folder: the first-party layer, the client packages, and scripts and tests.
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
printf '%s\n' "$here/layers/core" "$here/clients/python/src" "$here/clients/cli/src" "$here" >"$site/helpdesk-folders.pth"
echo "$made_from" >"$stamp"
