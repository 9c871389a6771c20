#!/bin/bash
# Where the instructions of a run's windows go: models, integrators, wrsim itself. Counted, so that it does
# not depend on what else the machine does; about 50 times slower than the run itself.
#
#     tools/profile.sh models/engine/engine.toml -D simulation.stop=0.048
#     tools/profile.sh build/bench/engine.json      the tuned run of a benchmark
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
[ $# -gt 0 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ -r "$1" ] || { echo "profile: '$1' cannot be read" >&2; exit 6; }
wr_install build profile
arguments=("$@")
if [[ $1 == *.json ]]; then
    list=$(/usr/bin/python3 "$wr_root/tools/profile.py" --arguments "$1")
    mapfile -t arguments <<<"$list"
fi
wr_build "$wr_root/build-profile" --buildtype=release -Dtests=false -Dc_args=-g
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
valgrind --tool=callgrind --toggle-collect=wr_engine_run --callgrind-out-file="$folder/out" \
    "$wr_root/build-profile/runtime/wrsim" -q -D scheduler.workers=1 -D 'output.file=""' \
    -D 'output.json=""' "${arguments[@]}" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
/usr/bin/python3 "$wr_root/tools/profile.py" "$folder/out"
