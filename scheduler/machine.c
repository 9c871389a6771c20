/* Reads /proc/cpuinfo, uname and the compiler's macros. See machine.h. Thread: any. Real-time: no. */
#include "scheduler/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* Build type and optimisation level; meson sets the text. */
#ifndef WR_BUILD_FLAGS
#define WR_BUILD_FLAGS "unknown build"
#endif

#ifdef __has_feature
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif

/* Build flags, instruction sets and run-time checks of this build. */
static const char build_flags[] = WR_BUILD_FLAGS
#ifdef __AVX512F__
    " avx512f"
#elif defined(__AVX2__)
    " avx2"
#endif
#ifdef __FMA__
    " fma"
#endif
#ifndef NDEBUG
    " assert"
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
    " asan"
#endif
#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
    " tsan"
#endif
    ;

static const char compiler[] =
#if defined(__clang__)
    "clang " __clang_version__;
#elif defined(__GNUC__)
    "gcc " __VERSION__;
#else
    "unknown";
#endif

static void set_text(char *ret_text, const char *value)
{
    snprintf(ret_text, WR_MACHINE_TEXT_BYTES, "%s", value);
    for (size_t n = strlen(ret_text); n > 0 && strchr(" \t\n", ret_text[n - 1]); n--)
        ret_text[n - 1] = '\0';
}

void wr_machine_read(wr_machine *ret_machine, const wr_topology *topology)
{
    char line[512];
    FILE *const file = fopen("/proc/cpuinfo", "r");
    set_text(ret_machine->cpu, "unknown"); /* some architectures have no line "model name" */
    for (int is_found = 0; file && !is_found && fgets(line, sizeof line, file);) {
        const char *const colon = strchr(line, ':');
        is_found = colon && strncmp(line, "model name", strlen("model name")) == 0;
        if (is_found)
            set_text(ret_machine->cpu, colon + 1 + strspn(colon + 1, " \t"));
    }
    if (file)
        fclose(file);
    set_text(ret_machine->cores, topology ? topology->name : "unknown");
    struct utsname system;
    if (uname(&system) == 0)
        snprintf(ret_machine->kernel, WR_MACHINE_TEXT_BYTES, "%.48s %.60s %.48s", system.sysname,
                 system.release, system.machine);
    else
        set_text(ret_machine->kernel, "unknown");
    set_text(ret_machine->compiler, compiler);
    set_text(ret_machine->flags, build_flags);
}

void wr_machine_json(wr_json *json, const wr_topology *topology)
{
    wr_machine machine;
    wr_machine_read(&machine, topology);
    wr_json_object(json, "machine");
    wr_json_string(json, "cpu", machine.cpu);
    wr_json_string(json, "cores", machine.cores);
    wr_json_string(json, "kernel", machine.kernel);
    wr_json_string(json, "compiler", machine.compiler);
    wr_json_string(json, "flags", machine.flags);
    wr_json_end(json);
}
