/* Opens shared objects. See shared_object.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_host/shared_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/open_file.h"
#include "subsystems/model_host/calling.h"

#if UINTPTR_MAX > 0xffffffff
typedef Elf64_Ehdr elf_head;
typedef Elf64_Phdr elf_segment;
#else
typedef Elf32_Ehdr elf_head;
typedef Elf32_Phdr elf_segment;
#endif

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Returns the least size of an object by its header, in bytes. The size extends to the end of the segments and of the section table, which
 * linkers put last. 0: the file has no ELF header of this word size, and dlopen() reports the reason. */
static size_t bytes_needed(FILE *file)
{
    elf_head head;
    elf_segment segment;
    static const unsigned char own_class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != own_class || head.e_phentsize != sizeof segment)
        return 0;
    size_t needed = larger(sizeof head, head.e_phoff + (size_t)head.e_phnum * head.e_phentsize);
    if (head.e_shoff > 0)
        needed = larger(needed, head.e_shoff + (size_t)head.e_shnum * head.e_shentsize);
    if (fseek(file, (long)head.e_phoff, SEEK_SET) != 0)
        return needed;
    for (int i = 0; i < head.e_phnum && fread(&segment, sizeof segment, 1, file) == 1; i++)
        if (segment.p_type == PT_LOAD)
            needed = larger(needed, segment.p_offset + segment.p_filesz);
    return needed;
}

static int is_other(FILE *file)
{
    char begin[SELFMAG];
    const int is_other =
        fread(begin, 1, SELFMAG, file) == SELFMAG && memcmp(begin, ELFMAG, SELFMAG) != 0;
    rewind(file);
    return is_other;
}

int wr_shared_object_is_other(const char *path)
{
    FILE *const file = wr_open_file_is_pipe(path) ? NULL : fopen(path, "rbe");
    const int is = file && is_other(file);
    if (file)
        fclose(file);
    return is;
}

/* Returns 1 with the reason if the file is a pipe, truncated or no shared object. dlopen() does not compare the header with the file's
 * length, and access to a missing range is a bus error. */
static int is_unfit(const char *path, char *reason)
{
    if (wr_open_file_is_pipe(path)) {
        snprintf(reason, WR_SHARED_OBJECT_BYTES, "the file is a pipe");
        return 1;
    }
    FILE *const file = fopen(path, "rbe");
    if (!file)
        return 0; /* dlopen() also searches other folders, and reports the reason */
    const int is = is_other(file);
    const size_t needed = is ? 0 : bytes_needed(file);
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    fclose(file);
    const int is_cut = size >= 0 && (size_t)size < needed;
    if (is)
        snprintf(reason, WR_SHARED_OBJECT_BYTES, "the file is not a shared object");
    else if (is_cut)
        snprintf(reason, WR_SHARED_OBJECT_BYTES,
                 "the file is truncated: the header requires %zu bytes, but the file has %ld",
                 needed, size);
    return is || is_cut;
}

void *wr_shared_object_open(const char *path, wr_shared_object_scope scope,
                            char reason[WR_SHARED_OBJECT_BYTES])
{
    if (is_unfit(path, reason))
        return NULL;
    wr_calling_begin(path, "opening", (double)NAN); /* dlopen() runs functions of the object */
    void *const handle =
        dlopen(path, RTLD_NOW | RTLD_LOCAL |
                         (scope == WR_SHARED_OBJECT_ISOLATED && WR_SHARED_OBJECT_CAN_ISOLATE
                              ? RTLD_DEEPBIND
                              : 0));
    wr_calling_end();
    if (!handle) {
        const char *const said = dlerror();
        snprintf(reason, WR_SHARED_OBJECT_BYTES, "%s", said ? said : "unknown reason");
    }
    return handle;
}
