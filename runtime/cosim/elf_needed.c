/* Reads the dynamic section of shared objects. See elf_needed.h. Thread: any. Real-time: no. */
#include "runtime/cosim/elf_needed.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/text_file.h"

enum { MOST_BYTES = 1 << 30 }; /* largest file (assumed) */

typedef struct object {
    unsigned char *bytes;
    size_t n;
} object;

/* Returns 1 if the file begins as an object of ELF does. */
static int is_object(FILE *file)
{
    char mark[SELFMAG];
    return fread(mark, 1, sizeof mark, file) == sizeof mark && memcmp(mark, ELFMAG, SELFMAG) == 0;
}

/* Reads the whole file if the file is an object; else ret->bytes stays NULL. Returns 0 or the error number. */
static int read_object(const char *path, object *ret)
{
    FILE *const file = fopen(path, "rbe");
    if (!file)
        return errno;
    int error_number = 0;
    long n = -1;
    if (!is_object(file))
        error_number = ferror(file) ? EIO : 0;
    else if (fseek(file, 0, SEEK_END) != 0 || (n = ftell(file)) < 0 ||
             fseek(file, 0, SEEK_SET) != 0)
        error_number = errno;
    else if (n > MOST_BYTES)
        error_number = EFBIG;
    else if (!(ret->bytes = malloc((size_t)n + 1)))
        error_number = ENOMEM;
    else {
        ret->n = fread(ret->bytes, 1, (size_t)n, file);
        error_number = ferror(file) ? EIO : 0;
    }
    (void)fclose(file);
    return error_number;
}

/* Copies n bytes at an offset. Returns 0 if the file ends before. */
static int get(const object *o, uint64_t at, void *ret, size_t n)
{
    if (at > o->n || n > o->n - at)
        return 0;
    memcpy(ret, o->bytes + at, n);
    return 1;
}

/* Finds the offset in the file of an address in memory. Returns 0 if no segment contains the address. */
static int find_offset(const object *o, const Elf64_Ehdr *head, uint64_t address, uint64_t *ret)
{
    for (int i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr p;
        if (!get(o, head->e_phoff + (uint64_t)i * sizeof p, &p, sizeof p))
            return 0;
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz) {
            *ret = p.p_offset + (address - p.p_vaddr);
            return 1;
        }
    }
    return 0;
}

/* Returns the value of the k-th entry with a tag in the dynamic section; 0: no such entry. */
static int find_entry(const object *o, const Elf64_Phdr *section, int64_t tag, int k, uint64_t *ret)
{
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section->p_filesz; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        if (!get(o, section->p_offset + at, &entry, sizeof entry) || entry.d_tag == DT_NULL)
            return 0;
        if (entry.d_tag == tag && k-- == 0) {
            *ret = entry.d_un.d_val;
            return 1;
        }
    }
    return 0;
}

/* Returns the k-th needed library; NULL: none. *ret_is_sound: 0 if the file is damaged. */
static const char *find_needed(const object *o, int k, int *ret_is_sound)
{
    Elf64_Ehdr head;
    *ret_is_sound = get(o, 0, &head, sizeof head) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
                    head.e_ident[EI_DATA] == ELFDATA2LSB && head.e_type == ET_DYN &&
                    head.e_phentsize == sizeof(Elf64_Phdr);
    for (int i = 0; *ret_is_sound && i < head.e_phnum; i++) {
        Elf64_Phdr p;
        uint64_t name, address, table;
        *ret_is_sound = get(o, head.e_phoff + (uint64_t)i * sizeof p, &p, sizeof p);
        if (!*ret_is_sound || p.p_type != PT_DYNAMIC)
            continue;
        if (!find_entry(o, &p, DT_NEEDED, k, &name))
            return NULL;
        *ret_is_sound = find_entry(o, &p, DT_STRTAB, 0, &address) &&
                        find_offset(o, &head, address, &table) && name < o->n - table &&
                        memchr(o->bytes + table + name, 0, o->n - table - name);
        return *ret_is_sound ? (const char *)o->bytes + table + name : NULL;
    }
    return NULL;
}

/* Returns 1 for a library of the C library, or a file in the folder `beside`. */
static int is_allowed(const char *name, const char *beside)
{
    static const char *const own[] = {
#ifdef __SANITIZE_ADDRESS__ /* the FMUs of the tests have the sanitizer of this build (gcc 12) */
        "libasan.so.8",
        "libgcc_s.so.1",
#endif
        "libc.so.6",
        "libm.so.6",
        "libdl.so.2",
        "libpthread.so.0",
        "librt.so.1",
        "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return 1;
    return beside && snprintf(path, sizeof path, "%s/%s", beside, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

/* As wr_elf_needed_find_other(), for an object in memory. */
static wrsim_status find_other(const object *o, const char *path, const char *beside,
                               char ret_name[WR_ELF_NAME_BYTES], wrsim_error *err)
{
    int is_sound = 1;
    const char *name;
    for (int k = 0; (name = find_needed(o, k, &is_sound)) != NULL; k++) {
        if (is_allowed(name, beside))
            continue;
        snprintf(ret_name, WR_ELF_NAME_BYTES, "%s", name);
        return WRSIM_OK;
    }
    return is_sound ? WRSIM_OK
                    : wr_error_set(err, WRSIM_E_PLUGIN,
                                   "the file '%s' is no complete shared object of 64-bit ELF; "
                                   "build it again",
                                   path);
}

wrsim_status wr_elf_needed_find_other(const char *path, const char *beside,
                                      char ret_name[WR_ELF_NAME_BYTES], wrsim_error *err)
{
    object o = {0};
    ret_name[0] = '\0';
    const int error_number = read_object(path, &o);
    const wrsim_status status =
        error_number == ENOMEM ? wr_error_memory(err)
        : error_number ? wr_error_set(err, WRSIM_E_IO, "the file '%s' cannot be read: %s", path,
                                      strerror(error_number))
        : o.bytes      ? find_other(&o, path, beside, ret_name, err)
                       : WRSIM_OK;
    free(o.bytes);
    return status;
}
