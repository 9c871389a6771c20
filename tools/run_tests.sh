#!/bin/bash
# Installs what is missing (as root), builds and runs all tests: style, the suite as built by gcc, the
# suite under ASan and UBSan, and its threaded part under TSan (clang), both without what only compares many
# results (suite plain). Ends with one line of counts.
# Give a stage's name (style, debug, asan, tsan) to run that one only.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
wr_install build test || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
passed=0 failed=0 skipped=0
stages=${*:-style debug asan tsan}

count() { # from meson's own log, one JSON object a line
    local p f s
    read -r p f s < <(/usr/bin/python3 - "$1" <<'PY'
import json, sys
counts = {"OK": 0, "SKIP": 0}
bad = 0
for line in open(sys.argv[1]):
    result = json.loads(line)["result"]
    if result in counts:
        counts[result] += 1
    else:
        bad += 1
print(counts["OK"], bad, counts["SKIP"])
PY
    )
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

suite() { # NAME, test options, -- , meson options
    local name=$1 folder=$wr_root/build-$1 tests=()
    shift
    while [ "$1" != -- ]; do tests+=("$1"); shift; done
    shift
    echo "== $name"
    if ! wr_build "$folder" "$@"; then
        failed=$((failed + 1))
        return
    fi
    rm -f "$folder/meson-logs/testlog.json"
    meson test -C "$folder" --no-rebuild --print-errorlogs "${tests[@]}" |
        grep -vE '^ninja|^$' | tail -n 60
    count "$folder/meson-logs/testlog.json"
}

style() {
    echo "== style"
    if git -C "$wr_root" ls-files '*.c' '*.h' | (cd "$wr_root" && xargs clang-format --dry-run -Werror); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
for stage in $stages; do
    case $stage in
    style) style ;;
    debug) suite debug -- --buildtype=debugoptimized ;;
    asan) suite asan --no-suite rt --no-suite plain -t 6 -- --buildtype=debugoptimized -Db_sanitize=address,undefined ;;
    tsan) CC=clang CXX=clang++ suite tsan --no-suite rt --no-suite slow --no-suite plain -t 10 -- \
        --buildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false ;;
    *) echo "unknown stage $stage (style, debug, asan, tsan)" >&2; failed=$((failed + 1)) ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
