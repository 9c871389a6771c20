/* A preloaded library that lets calls of the program fail. WR_FAIL is FUNCTION:K or FUNCTION:K+. The K-th call (from 0) of the function
 * fails with WR_FAIL_ERRNO, or all calls from the K-th on. FUNCTION "memory" means all allocations. If WR_FAIL_ERRNO is "half", a write
 * writes half of its data. At the end of the program the library writes the number of calls to the file WR_FAIL_COUNT.
 *
 * Calls of file functions count only in the program and its modules. hwloc and H5dont_atexit() do not survive a lack of memory, so
 * their allocations succeed. With K+ allocations of libstdc++ succeed, because exceptions need memory.
 *
 * Thread: any. Real-time: no.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC visibility push(default)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static atomic_long n_call;
static _Thread_local int n_spared; /* > 0: no call on this thread fails */
static const char *name = "";
static long first = -1;
static int goes_on, error_number, is_half;
static uintptr_t program[2], cpp[2]; /* begin and end of the code of the program and of libstdc++ */

static int find_code(struct dl_phdr_info *info, size_t n_bytes, void *nothing)
{
    (void)n_bytes, (void)nothing;
    uintptr_t *const range = !info->dlpi_name[0]                        ? program
                             : strstr(info->dlpi_name, "/libstdc++.so") ? cpp
                                                                        : NULL;
    for (int i = 0; range && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            range[0] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            range[1] = range[0] + info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

static int is_within(const void *address, const uintptr_t range[2])
{
    return (uintptr_t)address >= range[0] && (uintptr_t)address < range[1];
}

__attribute__((constructor)) static void begin(void)
{
    const char *const what = getenv("WR_FAIL"), *const error = getenv("WR_FAIL_ERRNO");
    const char *const colon = what ? strchr(what, ':') : NULL;
    dl_iterate_phdr(find_code, NULL);
    if (!colon)
        return;
    char *end;
    first = strtol(colon + 1, &end, 10);
    goes_on = *end == '+';
    is_half = error && strcmp(error, "half") == 0;
    error_number = error ? atoi(error) : ENOMEM;
    name = strndup(what, (size_t)(colon - what));
}

__attribute__((destructor)) static void end(void)
{
    const char *const file = getenv("WR_FAIL_COUNT");
    const int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd < 0)
        return;
    dprintf(fd, "%ld\n", atomic_load(&n_call));
    close(fd);
}

static int is_due(const char *function)
{
    if (n_spared > 0 || strcmp(function, name) != 0)
        return 0;
    const long k = atomic_fetch_add(&n_call, 1);
    if (first < 0 || (goes_on ? k < first : k != first))
        return 0;
    errno = error_number;
    return 1;
}

static int is_out_of_memory(const void *caller)
{
    return !(goes_on && is_within(caller, cpp)) && is_due("memory");
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t n) { return is_out_of_memory(CALLER) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return is_out_of_memory(CALLER) ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return is_out_of_memory(CALLER) ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n)
{
    return is_out_of_memory(CALLER) ? NULL : __libc_memalign(a, n);
}
int posix_memalign(void **ret, size_t a, size_t n)
{
    void *const p = is_out_of_memory(CALLER) ? NULL : __libc_memalign(a, n);
    *ret = p ? p : *ret;
    return p ? 0 : ENOMEM;
}

/* A function of a library that only a module links, for find_in_library(). RTLD_NEXT skips such a library. */
typedef struct wanted {
    const char *function;
    void *found;
} wanted;

static int find_in_library(struct dl_phdr_info *info, size_t n_bytes, void *wanted_at)
{
    (void)n_bytes;
    wanted *const w = wanted_at;
    if (!strstr(info->dlpi_name, "/libhwloc.so") && !strstr(info->dlpi_name, "/libhdf5"))
        return 0;
    void *const library = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return 0;
    w->found = dlsym(library, w->function);
    dlclose(library);
    return w->found != NULL;
}

static void *next(const char *function)
{
    n_spared++; /* dlsym() may allocate */
    wanted w = {function, dlsym(RTLD_NEXT, function)};
    if (!w.found)
        dl_iterate_phdr(find_in_library, &w);
    n_spared--;
    return w.found;
}

/* Returns 1 if the code belongs to the program or a module. */
static int is_ours(const void *address)
{
    Dl_info about;
    return is_within(address, program) ||
           (dladdr(address, &about) && about.dli_fname && strstr(about.dli_fname, "/wrsim_"));
}

/* File functions: a call that is due returns FAILED. Writes to standard output and standard error never fail. */
#define FILE_CALL(type, function, failed, parameters, arguments)                                   \
    FILE_CALL_IF(1, type, function, failed, parameters, arguments)
#define FILE_CALL_IF(counts, type, function, failed, parameters, arguments)                        \
    type function parameters                                                                       \
    {                                                                                              \
        type(*real) parameters;                                                                    \
        *(void **)&real = next(#function);                                                         \
        return (counts) && is_ours(CALLER) && is_due(#function) ? failed : real arguments;         \
    }
#define HALF(written) (is_half ? (written) : -1)

FILE_CALL_IF(fd > 2, ssize_t, write, HALF(real(fd, data, (n + 1) / 2)),
             (int fd, const void *data, size_t n), (fd, data, n))
FILE_CALL(ssize_t, pwrite64, HALF(real(fd, data, (n + 1) / 2, at)),
          (int fd, const void *data, size_t n, off64_t at), (fd, data, n, at))
FILE_CALL_IF(fileno(to) > 2, size_t, fwrite, 0, (const void *data, size_t m, size_t n, FILE *to),
             (data, m, n, to))
FILE_CALL_IF(to &&fileno(to) > 2, int, fflush, EOF, (FILE * to), (to))
FILE_CALL_IF(fileno(to) > 2, int, fclose, (real(to), errno = error_number, EOF), (FILE * to), (to))
FILE_CALL(FILE *, fdopen, NULL, (int fd, const char *how), (fd, how))
FILE_CALL(int, close, (real(fd), errno = error_number, -1), (int fd), (fd))
FILE_CALL(int, fsync, -1, (int fd), (fd))
FILE_CALL(int, ftruncate64, -1, (int fd, off64_t n), (fd, n))
FILE_CALL(int, rename, -1, (const char *from, const char *to), (from, to))
FILE_CALL(int, unlink, -1, (const char *path), (path))
FILE_CALL(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))
FILE_CALL(int, flock, -1, (int fd, int how), (fd, how))
FILE_CALL(pid_t, fork, -1, (void), ())

/* Library functions within which no call fails (n_spared). */
#define SPARED(function, parameters, arguments)                                                    \
    int function parameters;                                                                       \
    int function parameters                                                                        \
    {                                                                                              \
        int(*real) parameters;                                                                     \
        *(void **)&real = next(#function);                                                         \
        n_spared++;                                                                                \
        const int ret = real arguments;                                                            \
        n_spared--;                                                                                \
        return ret;                                                                                \
    }
SPARED(hwloc_topology_init, (void **topology), (topology))
SPARED(hwloc_topology_load, (void *topology), (topology))
SPARED(hwloc_topology_set_synthetic, (void *topology, const char *text), (topology, text))
SPARED(hwloc_get_cpubind, (void *topology, void *set, int flags), (topology, set, flags))
SPARED(H5dont_atexit, (void), ())
