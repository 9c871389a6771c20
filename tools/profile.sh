#!/bin/bash
# Where a run goes on one worker: models, integrators, wrsim itself. Instructions inside of windows are
# counted, so that it does not depend on what else the machine does; about 50 times slower than the run
# itself. With --time it is time, sampled over the whole run: let it simulate long enough for seconds.
#
#     tools/profile.sh models/engine/engine.toml -D simulation.stop=0.048
#     tools/profile.sh build/bench/engine.json      the tuned run of a benchmark
#     tools/profile.sh --time build/bench/engine.json -D simulation.stop=30
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
how=count
[ "${1-}" != --time ] || { how=time; shift; }
[ $# -gt 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ -r "$1" ] || { echo "profile: '$1' cannot be read" >&2; exit 6; }
wr_install build profile
arguments=("$@")
if [[ $1 == *.json ]]; then
    list=$(/usr/bin/python3 "$wr_root/tools/profile.py" --arguments "$1")
    mapfile -t arguments <<<"$list"
    arguments+=("${@:2}")
fi
wr_build "$wr_root/build-profile" --buildtype=release -Dtests=false -Dc_args=-g
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run=("$wr_root/build-profile/runtime/wrsim" -q -D scheduler.workers=1 -D 'output.file=""'
    -D 'output.json=""' "${arguments[@]}")
fail() {
    cat "$folder/log" >&2
    exit 1
}
if [ $how = time ]; then
    # A stack's first KiB has the callers that count, those of libm and of copies.
    perf record -q -e cpu-clock:u -F 4000 --call-graph dwarf,1024 -o "$folder/data" -- "${run[@]}" \
        >"$folder/log" 2>&1 || fail
    perf script -i "$folder/data" -F ip,sym,dso --no-inline >"$folder/out" 2>"$folder/log" || fail
    /usr/bin/python3 "$wr_root/tools/profile.py" --samples "$folder/out"
else
    valgrind --tool=callgrind --toggle-collect=wr_engine_run --callgrind-out-file="$folder/out" \
        "${run[@]}" >"$folder/log" 2>&1 || fail
    /usr/bin/python3 "$wr_root/tools/profile.py" "$folder/out"
fi
