#!/bin/bash
# Installs missing packages (as root), builds and runs tests:
#
#     tools/run_tests.sh [quick | full | long | style | plain | debug | asan | ubsan | tsan | more | fuzz] ...
#
# Without a stage: full. tests/readme.md lists the tests of each stage. Ends with the times of all stages and one line of counts.
set -u -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
wr_install build test || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
passed=0 failed=0 skipped=0 times=() began=$SECONDS

count() { # LOG: adds the counts of meson's log, which has one JSON object a line
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
    ) || { failed=$((failed + 1)); return; }
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

declare -A is_built=()
build() { # NAME, meson options: builds build-NAME once, and counts a failure once
    local name=$1 from=$SECONDS
    shift
    [ -z "${is_built[$name]:-}" ] || return "${is_built[$name]}"
    is_built[$name]=0
    wr_build "$wr_root/build-$name" "$@" || { is_built[$name]=1 failed=$((failed + 1)); }
    times+=("build $name $((SECONDS - from)) s")
    return "${is_built[$name]}"
}

targets() { # NAME TARGET ...: builds targets of build-NAME, and counts a failure
    local folder=$wr_root/build-$1 from=$SECONDS
    shift
    ninja -C "$folder" "$@" >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log" >&2; failed=$((failed + 1)); return 1; }
    times+=("build $* $((SECONDS - from)) s")
}

configure() { # NAME, meson options: meson test builds the targets that its tests need
    wr_configure "$wr_root/build-$1" "${@:2}" || { failed=$((failed + 1)); return 1; }
}

with_clang() { CC=clang CXX=clang++ "$@"; }

run() { # STAGE BUILD, arguments of meson test. Some tests wait, so two tests more than cores run at a time.
    local stage=$1 folder=$wr_root/build-$2 from=$SECONDS
    shift 2
    echo "== $stage"
    rm -f "$folder/meson-logs/testlog.json"
    meson test -C "$folder" --print-errorlogs --num-processes $(($(nproc) + 2)) "$@" | grep -vE '^ninja|^\[[0-9]+/[0-9]+\]|^$' | tail -n 60
    count "$folder/meson-logs/testlog.json"
    times+=("$stage $((SECONDS - from)) s")
}

style() {
    echo "== style"
    if (cd "$wr_root" && git ls-files '*.c' '*.h' | xargs -P "$(nproc)" -n 64 clang-format --dry-run -Werror); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

fuzz() { # build-fuzz stores new inputs for the next call
    local name from folder=$wr_root/build-fuzz
    with_clang build fuzz --buildtype=debugoptimized -Dfuzz=true -Db_lundef=false || return
    from=$SECONDS
    echo "== fuzz"
    for name in config files fmi matrix packet plugin ssp sweep; do
        mkdir -p "$folder/found_$name"
        if "$(find "$folder/tests" -name "fuzz_$name" -type f)" -max_total_time="${WR_FUZZ_SECONDS:-60}" -timeout=25 -verbosity=0 \
            -artifact_prefix="$folder/found_$name-" "$folder/found_$name" "$wr_root/tests/fuzz/corpus_$name" \
            2>&1 | tail -n 20; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done
    times+=("fuzz $((SECONDS - from)) s")
}

# -g1: line tables only. -O1 halves the build time of a sanitized program; its tests take the same time. gcc derives fewer ranges at -O1, so
# its warning about truncated texts is disabled. gold links a sanitized program in half the time. The debug build keeps the default linker,
# because gold exports a hidden thread-local variable of libwrsim.
# gcc's UBSan as a static library: at the end of a program the search for leaks reads all global variables of its libraries, and libubsan.so
# has 6 MB of these. Without this library an empty program takes 0.05 s of CPU time, and otherwise 0.08 s.
# ASan reports each access to a null pointer or outside of an object. UBSan's checks of alignment, object sizes and overflow of pointers
# double the build time, so only the stage ubsan has these checks.
debug=(debug --buildtype=debugoptimized -Dc_args=-g1 -Dcpp_args=-g1)
sanitized=(--buildtype=debugoptimized -Doptimization=1)
gold=-fuse-ld=gold
gcc_sanitized=("${sanitized[@]}" "-Dc_link_args=$gold -static-libubsan" "-Dcpp_link_args=$gold -static-libubsan" -Db_sanitize=address,undefined)
few=-fno-sanitize=null,alignment,object-size,pointer-overflow
asan=(asan "${gcc_sanitized[@]}" "-Dc_args=-g1 -Wno-format-truncation $few" "-Dcpp_args=-g1 $few")
ubsan=(ubsan "${gcc_sanitized[@]}" "-Dc_args=-g1 -Wno-format-truncation -fno-sanitize=null" "-Dcpp_args=-g1 -fno-sanitize=null")
tsan=(tsan "${sanitized[@]}" -Dc_link_args=$gold -Dcpp_link_args=$gold -Dc_args=-g1 -Dcpp_args=-g1 -Db_sanitize=thread -Db_lundef=false)
under_asan=(--no-suite long --no-suite plain --no-suite more --no-suite races)
stage() {
    case $1 in
    quick) configure "${debug[@]}" && run quick debug --suite quick ;;
    full)
        local each
        wr_configure "$wr_root/build-asan" "${asan[@]:1}" 2>/dev/null & # in parallel; the stages asan and tsan report failures
        with_clang wr_configure "$wr_root/build-tsan" "${tsan[@]:1}" 2>/dev/null &
        stage style
        wait
        for each in plain asan tsan; do stage $each; done
        ;;
    long)
        build "${debug[@]}" && run long debug --suite long
        stage more
        stage ubsan
        fuzz
        ;;
    style) style ;;
    plain) configure "${debug[@]}" && targets debug without_test && run plain debug --suite plain --suite more --no-suite long ;;
    debug) build "${debug[@]}" && run debug debug --suite quick --suite full ;;
    asan) configure "${asan[@]}" && run asan asan "${under_asan[@]}" ;;
    ubsan) configure "${ubsan[@]}" && run ubsan ubsan "${under_asan[@]}" ;;
    tsan) with_clang configure "${tsan[@]}" && run tsan tsan --suite threads --suite races --no-suite plain --no-suite more ;;
    more)
        configure "${asan[@]}" && run "more asan" asan --suite more
        with_clang configure "${tsan[@]}" && run "more tsan" tsan --suite more
        ;;
    fuzz) fuzz ;;
    *)
        echo "unknown stage $1 (quick, full, long, style, plain, debug, asan, ubsan, tsan, more, fuzz)" >&2
        failed=$((failed + 1))
        ;;
    esac
}

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
for each in "${@:-full}"; do stage "$each"; done
printf '%s, ' "${times[@]}"
echo "all $((SECONDS - began)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
