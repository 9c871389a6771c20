#!/bin/bash
# Installs missing packages, builds, and runs all suites and forms of `wrsim bench` and a profile on this machine, which should have no
# other load. Results: build/bench/*.json, *.svg, *.txt and a table. Options go to every call of `wrsim bench`, such as --runs 21.
set -eu -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
wr_install build
wr_install bench || echo "Without them LSODAR is left out." >&2
echo "Building (about two minutes on two cores the first time) ..."
wr_build "$wr_root/build" --buildtype=release -Dtests=false
wrsim=$wr_root/build/wrsim out=$wr_root/build/bench failed=0 tables=()
mkdir -p "$out"

# run NAME WHAT... [OPTION...]: calls wrsim bench once, and adds the JSON to the table at the end.
run() {
    local name=$1
    shift
    echo "== $name"
    "$wrsim" bench "$@" --json "$out/$name.json" || failed=1
    [ ! -f "$out/$name.json" ] || tables+=("$out/$name.json")
}

rm -f "$out"/*.json
for suite in null engine problems windows points; do
    run $suite "$wr_root/bench/$suite.toml" --svg "$out/$suite.svg" "$@"
done
run growth growth "$@"
run busy busy "$wr_root/bench/engine.toml" --case hundred-cycles "$@"
echo "== profile"
bash "$wr_root/tools/profile.sh" "$out/engine.json" | tee "$out/profile.txt" || failed=1
bash "$wr_root/tools/profile.sh" --time "$out/engine.json" -D simulation.stop=30 |
    tee "$out/profile_time.txt" || [ $? = 77 ] || failed=1 # 77: the kernel forbids sampling
"$wrsim" bench table "${tables[@]}" | tee "$out/table.md" || failed=1
echo "results: $out"
exit $failed
