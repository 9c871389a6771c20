/* The guard of the allocator. See alloc_guard.h.
 *
 * malloc(), its relatives and pthread_create() below replace the functions of the C library in the whole process. The guard therefore also
 * catches calls by shared libraries and by the C library itself (stdio buffers). malloc() and its relatives call glibc's allocator by the
 * internal names of glibc.
 *
 * An FMU that wrsim isolates (RTLD_DEEPBIND) calls the C library's allocator, so the guard replaces the addresses in the relocation tables
 * of the FMU's library.
 *
 * Names of callers come from the symbol table of the program, because dladdr() does not find hidden functions.
 *
 * Thread: see alloc_guard.h.
 */
#include "alloc_guard.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline))

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

enum { MAX_CATCH = 64, MAX_DEPTH = 24, MAX_THREAD = 64, OWN_FRAMES = 2 };

typedef struct caught {
    const char *function;
    int depth;
    void *address[MAX_DEPTH];
} caught;

typedef struct started {
    pthread_t thread;
    void *(*work)(void *);
    void *argument;
    atomic_int is_exempt; /* relaxed: set while the thread sleeps between runs */
} started;

static atomic_int is_armed; /* release in arm, acquired by every allocation */
/* relaxed: the count only assigns indices; disarm runs after the work of the threads. */
static atomic_int n_caught;
static caught catches[MAX_CATCH];
static started threads[MAX_THREAD];
static int n_thread;
static atomic_long n_foreign; /* relaxed, as n_caught */

#ifndef HAS_SANITIZER

/* Addresses of the code and data of a shared object. */
typedef struct object {
    const char *name; /* part of the path */
    uintptr_t begin, end;
} object;
static object foreign, c_library = {.name = "/libc.so."}; /* set before the guard is armed */

static _Thread_local started *self;       /* NULL in the test's own thread */
static _Thread_local int is_writing_down; /* excludes allocations of backtrace() */

static int is_within(const object *in, const void *address)
{
    return (uintptr_t)address >= in->begin && (uintptr_t)address < in->end;
}

/* Returns whether the foreign object makes a call of the allocator, directly or by a function of the C library. */
static int is_foreign(const caught *one)
{
    int k = OWN_FRAMES;
    while (k < one->depth && is_within(&c_library, one->address[k]))
        k++;
    return k < one->depth && is_within(&foreign, one->address[k]);
}

static NOINLINE void write_down(const char *function)
{
    if (is_writing_down || (self && atomic_load_explicit(&self->is_exempt, memory_order_relaxed)))
        return;
    is_writing_down = 1;
    caught one = {.function = function};
    one.depth = backtrace(one.address, MAX_DEPTH);
    if (is_foreign(&one)) {
        atomic_fetch_add_explicit(&n_foreign, 1, memory_order_relaxed);
    } else {
        const int i = atomic_fetch_add_explicit(&n_caught, 1, memory_order_relaxed);
        if (i < MAX_CATCH)
            catches[i] = one;
    }
    is_writing_down = 0;
}

static inline int is_forbidden(void)
{
    return atomic_load_explicit(&is_armed, memory_order_acquire);
}

/* glibc's allocator under its names for programs that replace malloc. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *block);

VISIBLE void *malloc(size_t bytes)
{
    if (is_forbidden())
        write_down("malloc");
    return __libc_malloc(bytes);
}

VISIBLE void *calloc(size_t count, size_t bytes)
{
    if (is_forbidden())
        write_down("calloc");
    return __libc_calloc(count, bytes);
}

VISIBLE void *realloc(void *block, size_t bytes)
{
    if (is_forbidden())
        write_down("realloc");
    return __libc_realloc(block, bytes);
}

VISIBLE void free(void *block)
{
    if (block && is_forbidden())
        write_down("free");
    __libc_free(block);
}

VISIBLE void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (is_forbidden())
        write_down("aligned_alloc");
    return __libc_memalign(alignment, bytes);
}

VISIBLE int posix_memalign(void **ret_block, size_t alignment, size_t bytes)
{
    if (is_forbidden())
        write_down("posix_memalign");
    void *const block = __libc_memalign(alignment, bytes);
    if (!block)
        return ENOMEM;
    *ret_block = block;
    return 0;
}

static void *start(void *context)
{
    self = context;
    return self->work(self->argument);
}

VISIBLE int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *),
                           void *argument)
{
    /* dlsym returns object pointers also for functions. */
    union {
        void *object;
        int (*call)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    } const real = {dlsym(RTLD_NEXT, "pthread_create")};
    if (n_thread == MAX_THREAD)
        return EAGAIN;
    started *const one = &threads[n_thread];
    one->work = work;
    one->argument = argument;
    atomic_store_explicit(&one->is_exempt, 0, memory_order_relaxed);
    const int status = real.call(&one->thread, attr, start, one);
    if (status == 0) {
        *thread = one->thread;
        n_thread++;
    }
    return status;
}

static const struct {
    const char *name;
    union {
        void *(*one)(size_t);
        void *(*two)(size_t, size_t);
        void *(*again)(void *, size_t);
        void (*release)(void *);
        int (*aligned)(void **, size_t, size_t);
        uintptr_t address;
    } by;
} replaced[] = {{"malloc", {.one = malloc}},
                {"calloc", {.two = calloc}},
                {"realloc", {.again = realloc}},
                {"free", {.release = free}},
                {"aligned_alloc", {.two = aligned_alloc}},
                {"posix_memalign", {.aligned = posix_memalign}}};

/* Replaces the addresses of the allocator's functions in a relocation table. Returns the number of replaced addresses. */
static int replace_in(uintptr_t base, const ElfW(Rela) * row, size_t n_bytes,
                      const ElfW(Sym) * symbols, const char *names)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    int n = 0;
    for (size_t i = 0; i < n_bytes / sizeof *row; i++) {
        const char *const name = names + symbols[ELF64_R_SYM(row[i].r_info)].st_name;
        uintptr_t *const slot = (uintptr_t *)(base + row[i].r_offset);
        for (size_t k = 0; k < sizeof replaced / sizeof *replaced; k++)
            if (strcmp(name, replaced[k].name) == 0 &&
                mprotect((void *)((uintptr_t)slot / page * page), page, PROT_READ | PROT_WRITE) ==
                    0) {
                *slot = replaced[k].by.address;
                n++;
            }
    }
    return n;
}

/* Replaces the allocator of an object. */
static int replace(const struct dl_phdr_info *info, const ElfW(Dyn) * row)
{
    uintptr_t at[DT_JMPREL + 1] = {0};
    for (; row->d_tag != DT_NULL; row++)
        if (row->d_tag > 0 && row->d_tag <= DT_JMPREL)
            at[row->d_tag] = row->d_un.d_val;
    const ElfW(Sym) *const symbols = (const void *)at[DT_SYMTAB];
    const char *const names = (const void *)at[DT_STRTAB];
    return replace_in(info->dlpi_addr, (const void *)at[DT_RELA], at[DT_RELASZ], symbols, names) +
           replace_in(info->dlpi_addr, (const void *)at[DT_JMPREL], at[DT_PLTRELSZ], symbols,
                      names);
}

/* Finds the addresses of the C library and of the foreign object, and replaces the allocator of the foreign object. */
static int look_at(struct dl_phdr_info *info, size_t bytes, void *n_replaced)
{
    (void)bytes;
    object *const found = foreign.name && strstr(info->dlpi_name, foreign.name) ? &foreign
                          : strstr(info->dlpi_name, c_library.name)             ? &c_library
                                                                                : NULL;
    for (int i = 0; found && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (found->end == 0 || begin < found->begin))
            found->begin = begin;
        if (part->p_type == PT_LOAD && begin + part->p_memsz > found->end)
            found->end = begin + part->p_memsz;
        if (part->p_type == PT_DYNAMIC && found == &foreign)
            *(int *)n_replaced += replace(info, (const void *)begin);
    }
    return 0;
}

int wr_alloc_guard_separate(const char *name)
{
    int n_replaced = 0;
    foreign = (object){.name = name};
    dl_iterate_phdr(look_at, &n_replaced);
    return foreign.end == 0 || c_library.end == 0 ? -1 : n_replaced;
}

int wr_alloc_guard_works(void) { return 1; }

#else

int wr_alloc_guard_separate(const char *name) { return -1; }

int wr_alloc_guard_works(void) { return 0; }

#endif

void wr_alloc_guard_forget_threads(void) { n_thread = 0; }

int wr_alloc_guard_exempt_unnamed(const char *prefix, int *ret_n_exempt)
{
    int n_watched = 0;
    for (int i = 0; i < n_thread; i++) {
        char name[32] = "";
        pthread_getname_np(threads[i].thread, name, sizeof name);
        const int is_watched = strncmp(name, prefix, strlen(prefix)) == 0;
        atomic_store_explicit(&threads[i].is_exempt, !is_watched, memory_order_relaxed);
        n_watched += is_watched;
    }
    *ret_n_exempt = n_thread - n_watched;
    return n_watched;
}

void wr_alloc_guard_arm(void)
{
    void *first[2];
    backtrace(first, 2); /* loads the unwinder, which allocates */
    atomic_store_explicit(&n_caught, 0, memory_order_relaxed);
    atomic_store_explicit(&n_foreign, 0, memory_order_relaxed);
    atomic_store_explicit(&is_armed, 1, memory_order_release);
}

int wr_alloc_guard_disarm(void)
{
    atomic_store_explicit(&is_armed, 0, memory_order_release);
    return atomic_load_explicit(&n_caught, memory_order_relaxed);
}

long wr_alloc_guard_foreign(void) { return atomic_load_explicit(&n_foreign, memory_order_relaxed); }

/* ---- names ---- */

/* Returns the bytes of the program's file, which the first call maps; NULL on failure. */
static const unsigned char *program(size_t *ret_bytes)
{
    static const unsigned char *image;
    static size_t image_bytes;
    if (!image) {
        const int fd = open("/proc/self/exe", O_RDONLY);
        struct stat status;
        if (fd < 0 || fstat(fd, &status) != 0)
            return NULL;
        image_bytes = (size_t)status.st_size;
        void *const map = mmap(NULL, image_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        close(fd);
        image = map == MAP_FAILED ? NULL : map;
    }
    *ret_bytes = image_bytes;
    return image;
}

/* Returns the name of the program's function at an offset from the load address; NULL if no function has this offset. */
static const char *own_symbol(uintptr_t offset)
{
    size_t bytes;
    const unsigned char *const image = program(&bytes);
    if (!image || bytes < sizeof(ElfW(Ehdr)))
        return NULL;
    const ElfW(Ehdr) *const head = (const void *)image;
    const ElfW(Shdr) *const sections = (const void *)(image + head->e_shoff);
    for (int s = 0; s < head->e_shnum; s++) {
        if (sections[s].sh_type != SHT_SYMTAB)
            continue;
        const ElfW(Sym) *const symbols = (const void *)(image + sections[s].sh_offset);
        const char *const names = (const void *)(image + sections[sections[s].sh_link].sh_offset);
        const size_t n = sections[s].sh_size / sizeof *symbols;
        for (size_t i = 0; i < n; i++)
            if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && offset >= symbols[i].st_value &&
                offset < symbols[i].st_value + symbols[i].st_size)
                return names + symbols[i].st_name;
    }
    return NULL;
}

static int take_first(struct dl_phdr_info *info, size_t bytes, void *base)
{
    (void)bytes;
    *(uintptr_t *)base = (uintptr_t)info->dlpi_addr;
    return 1; /* the program is the first object */
}

static const char *name_of(const void *address)
{
    uintptr_t base = 0;
    dl_iterate_phdr(take_first, &base);
    /* A return address may be the first byte after a function that does not return. */
    const char *const own = own_symbol((uintptr_t)address - 1 - base);
    Dl_info info;
    if (own)
        return own;
    return dladdr(address, &info) && info.dli_sname ? info.dli_sname : "?";
}

const char *wr_alloc_guard_text(int i, char *text, size_t text_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = OWN_FRAMES - 1; i < MAX_CATCH && k < catches[i].depth; k++) {
        const char *const name =
            k < OWN_FRAMES ? catches[i].function : name_of(catches[i].address[k]);
        const int n = snprintf(text + used, text_bytes - used, "%s%s", used > 0 ? " < " : "", name);
        used += n > 0 ? (size_t)n : 0;
        if (used >= text_bytes)
            break;
    }
    return text;
}
