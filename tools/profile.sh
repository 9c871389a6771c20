#!/bin/bash
# Profiles a run on one worker, by room: models, integrators, wrsim itself.
#
#     tools/profile.sh [--time] CONFIG [wrsim's options]
#     tools/profile.sh [--time] RESULT.json [wrsim's options]    a benchmark's first tuned run on one core
#
# The script counts instructions inside of windows, so that the load of the machine does not matter. This
# takes about 50 times as long as the run. --time samples time over the whole run, which should last some
# seconds (-D simulation.stop=30). A result has the path of its config as given to bench, so call the script
# from the same folder. The first call installs valgrind (linux-perf for --time) and builds.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; }
refuse() { # EXIT_CODE TEXT
    echo "profile: $2" >&2
    exit "$1"
}
how=count arguments=()
for word in "$@"; do
    case $word in
    --time) how=time ;;
    -h | --help) usage; exit 0 ;;
    *) arguments+=("$word") ;;
    esac
done
[ ${#arguments[@]} -gt 0 ] || { usage >&2; exit 2; }
subject=${arguments[0]}
case $subject in -*) refuse 2 "a config or a result comes first, then wrsim's options; not '$subject'" ;; esac
[ ! -d "$subject" ] || refuse 6 "'$subject' is a folder; name a config, or a result of wrsim bench"
[ -r "$subject" ] || refuse 6 "'$subject' cannot be read; check the path and its permissions"
if [[ $subject == *.json ]]; then
    list=$(/usr/bin/python3 "$wr_root/tools/profile.py" --arguments "$subject") || exit 1
    mapfile -t tuned <<<"$list"
    [ -r "${tuned[0]}" ] || refuse 6 "this folder lacks '${tuned[0]}', the config of '$subject'; call profile.sh from the folder of wrsim bench"
    echo "${tuned[*]}"
    arguments=("${tuned[@]}" "${arguments[@]:1}")
fi
wr_install build profile
if [ $how = time ]; then
    wr_install profile-time
    perf record -q -e cpu-clock:u -o /dev/null true >/dev/null 2>&1 ||
        refuse 77 "the kernel forbids sampling (kernel.perf_event_paranoid); leave out --time to count instructions"
fi
[ -d "$wr_root/build-profile" ] || echo "Building (about two minutes on two cores the first time) ..." >&2
wr_build "$wr_root/build-profile" --buildtype=release -Dtests=false -Dc_args=-g
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run=("$wr_root/build-profile/wrsim" -q -D scheduler.workers=1 -D 'output.file=""'
    -D 'output.json=""' "${arguments[@]}")
fail() { # EXIT_CODE: prints wrsim's messages, or else the whole log
    grep '^wrsim: ' "$folder/log" >&2 || cat "$folder/log" >&2
    exit "$1"
}
if [ $how = time ]; then
    # The first KiB of a stack has the callers of libm and of copies.
    perf record -q -e cpu-clock:u -F 4000 --call-graph dwarf,1024 -o "$folder/data" -- "${run[@]}" \
        >"$folder/log" 2>&1 || fail $?
    perf script -i "$folder/data" -F ip,sym,dso --no-inline >"$folder/out" 2>"$folder/log" || fail $?
    /usr/bin/python3 "$wr_root/tools/profile.py" --samples "$folder/out"
else
    valgrind -q --tool=callgrind --toggle-collect=wr_engine_run --callgrind-out-file="$folder/out" \
        "${run[@]}" >"$folder/log" 2>&1 || fail $?
    /usr/bin/python3 "$wr_root/tools/profile.py" "$folder/out"
fi
