#!/bin/sh
# Makes .venv with the pinned packages, once, and again when they change: `bootstrap.sh local` with what `make dev` needs
# (requirements/local.txt), `bootstrap.sh` with everything (requirements/dev.txt). Needs only a Python 3.13, which it finds
# on the PATH, through pyenv or through uv. Prints nothing when there is nothing to do.
# STACK_PORT, if set, is the port that a local stack is about to take: a taken one is reported before the minutes of work.
set -eu
cd "$(dirname "$0")/.."

here=$PWD
wanted=${1:-dev}
stamp=.venv/.made-from
made_from() { echo "$1 $(cksum <"requirements/$1.txt") $here"; }
has() { [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(made_from "$1")" ]; }
is_made() { has dev || { [ "$wanted" = local ] && has local; }; }
if is_made; then exit 0; fi

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

# A stack of this project that runs already holds its port, and keeps it.
port_is_free() { "$python" - "$1" <<'END'
import socket, sys
with socket.socket() as probe:
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(("127.0.0.1", int(sys.argv[1])))
    except (ValueError, OverflowError):
        pass  # not a port; scripts/local says so
    except OSError:
        sys.exit(1)
END
}
if [ -n "${STACK_PORT:-}" ] && [ ! -e ".local/$STACK_PORT/emulator.json" ] && ! port_is_free "$STACK_PORT"; then
    echo "Port $STACK_PORT is taken by another program: stop that one, or choose a port: make up PORT=$((STACK_PORT + 1))" >&2
    exit 1
fi

mkdir -p .local
# One at a time: a second make waits for the first.
lock=.local/bootstrap.lock
waiting=
until mkdir "$lock" 2>/dev/null; do
    [ -n "$waiting" ] || echo "Waiting for another make that is making .venv."
    waiting=yes
    owner=$(cat "$lock/pid" 2>/dev/null || echo)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then rm -rf "$lock"; continue; fi
    sleep 1
done
echo $$ >"$lock/pid"
trap 'rm -rf "$lock"' EXIT
trap 'exit 130' INT TERM
if is_made; then exit 0; fi

log=.local/bootstrap.log
# requirements/*.txt name every package, so pip has nothing to resolve. Most modules are never imported, so none is
# compiled ahead of its first import.
install() { .venv/bin/python -m pip install --disable-pip-version-check --no-compile --no-deps --require-hashes --requirement "requirements/$1.txt"; }
if has local; then
    echo "Adding the packages for tests and checks to .venv: up to a minute, once (see $log)."
    make_environment() { true; }
else
    echo "Making .venv with $("$python" --version) and the pinned packages: one or two minutes, once (see $log)."
    make_environment() { "$python" -m venv --clear .venv && install pip; }
fi
if ! { make_environment && install "$wanted"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    echo "The packages could not be installed; the whole log is $log. Run make again to continue." >&2
    exit 1
fi

# What is imported from this folder: the first-party layer, the client packages, and scripts and tests.
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
printf '%s\n' "$here/layers/core" "$here/clients/python/src" "$here/clients/cli/src" "$here" >"$site/helpdesk-folders.pth"
made_from "$wanted" >"$stamp"
