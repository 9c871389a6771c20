/* Opening native plug-ins. See plugin.h.
 *
 * A plug-in is foreign: everything that can be checked without calling it is checked before it is
 * called, and everything it hands over is checked before it is used. What cannot be checked is
 * memory: a pointer that does not point to what the ABI says is beyond help.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "subsystems/calling.h"

/* POSIX promises that dlsym's object pointer can be made a function pointer; ISO C does not, hence
 * the copy of bytes. */
static wrsim_plugin_models_fn find_entry(void *handle)
{
    void *const symbol = dlsym(handle, WRSIM_PLUGIN_SYMBOL);
    wrsim_plugin_models_fn entry = NULL;
    if (symbol)
        memcpy(&entry, &symbol, sizeof entry);
    return entry;
}

#if UINTPTR_MAX > 0xffffffff
typedef Elf64_Ehdr elf_head;
typedef Elf64_Phdr elf_segment;
#else
typedef Elf32_Ehdr elf_head;
typedef Elf32_Phdr elf_segment;
#endif

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* How many bytes an object must have by its header: up to the end of its segments, and of the table of sections, which linkers
 * put last. 0: it is none of this machine's; dlopen() says what is wrong with it. */
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

/* dlopen() maps what a header promises without a look at the file's length: what is missing is a bus error. */
static int is_cut_off(const char *path, const wr_where *where, wr_diag *diag)
{
    FILE *const file = fopen(path, "rbe");
    if (!file)
        return 0; /* dlopen() knows more places, and says why */
    const size_t needed = bytes_needed(file);
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    fclose(file);
    const int is_cut = size >= 0 && (size_t)size < needed;
    if (is_cut)
        wr_diag_add(
            diag, WRSIM_E_PLUGIN, where,
            "plug-in '%s' is cut off: by its header it has %zu bytes, but the file has %ld; "
            "copy or build it again",
            path, needed, size);
    return is_cut;
}

static int recognises(const char *path)
{
    (void)path; /* dlopen() has the last word */
    return 1;
}

/* Whatever it runs when it is unloaded. */
static void close_plugin(void *handle)
{
    Dl_info about;
    void *const entry = dlsym(handle, WRSIM_PLUGIN_SYMBOL);
    const int is_known = entry && dladdr(entry, &about) != 0 && about.dli_fname;
    wr_calling_begin(is_known ? about.dli_fname : "", "closing", (double)NAN);
    dlclose(handle);
    wr_calling_end();
}

static void *open_plugin(const char *path, const wr_where *where, wr_diag *diag,
                         const wrsim_model *const **ret_models)
{
    if (is_cut_off(path, where, diag))
        return NULL;
    wr_calling_begin(path, "opening", (double)NAN); /* what it runs when it is loaded */
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    wr_calling_end();
    if (!handle) {
        const char *const reason = dlerror();
        wr_diag_add(diag, WRSIM_E_PLUGIN, where, "plug-in '%s' cannot be opened: %s", path,
                    reason ? reason : "unknown reason");
        return NULL;
    }
    const wrsim_plugin_models_fn entry = find_entry(handle);
    wr_calling_begin(path, "opening", (double)NAN);
    *ret_models = entry ? entry(WRSIM_MODEL_ABI) : NULL;
    wr_calling_end();
    if (*ret_models)
        return handle;
    if (!entry)
        wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                    "'%s' is a shared object but no wrsim plug-in: it does not export '%s'", path,
                    WRSIM_PLUGIN_SYMBOL);
    else
        wr_diag_add(
            diag, WRSIM_E_PLUGIN, where,
            "plug-in '%s' refuses model ABI %u of this wrsim: it was compiled for another one; "
            "compile it again with this wrsim's wrsim/model.h",
            path, WRSIM_MODEL_ABI);
    close_plugin(handle);
    return NULL;
}

const wr_provider wr_provider_native = {"native", recognises, open_plugin, close_plugin};
