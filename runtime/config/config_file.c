/* Reading of config files. See config_file.h. Thread: any. Real-time: no. */
#include "runtime/config/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/open_file.h"
#include "base/text_buffer.h"

/* Files that a user may mistake for a config, by ending or first bytes ("": not compared). */
static const struct {
    const char *ending, *magic, *text;
} foreign[] = {
    {"", "PK\3\4",
     "is an FMU or another zip archive, not a config; name an FMU in [[component]], fmu = "
     "\"...\""},
    {".fmu", "", "is not an FMU, which is a zip file; copy or export the FMU again"},
    {".so",
     "\x7f"
     "ELF",
     "is a shared object or a program, not a config; a config names a plug-in in [[plugin]], "
     "file = \"...\""},
    {".h5", "\x89HDF", "is a result file (HDF5), not a config; `wrsim compare` reads it"},
    {".json", "{",
     "is JSON, not a config; `wrsim bench compare` and `wrsim bench table` read results of `wrsim "
     "bench`"},
    {".csv", "", "is a table (CSV), not a config; `wrsim compare` reads results"},
    {".ckpt", "wrsim checkpoint",
     "is a checkpoint, not a config; `wrsim CONFIG --restart` continues from it"},
    {".ss", "wrsim state space",
     "is a linear model, not a config; a config names it in [[plugin]], file = \"...\""},
    {".mtx", "%%MatrixMarket",
     "is a matrix, not a config; `wrsim reduce`, `wrsim sparse` and `wrsim partition` without "
     "--groups read it"},
    {".hgr", "", "is a hypergraph, not a config; `wrsim partition` without --groups reads it"},
    {".hmetis", "", "is a hypergraph, not a config; `wrsim partition` without --groups reads it"},
    {".u", "", "is a hypergraph, not a config; `wrsim partition` without --groups reads it"},
    {".patoh", "", "is a hypergraph, not a config; `wrsim partition` without --groups reads it"},
    {".svg", "<svg ", "is a drawing, not a config; name a config"},
    {".md", "", "is a page of text (Markdown), not a config; name a config"},
    {".gz", "\x1f\x8b", "is compressed, not a config; unpack the file"},
    {"", "\xff\xfe", "has the encoding UTF-16; save the file as UTF-8"},
    {"", "\xfe\xff", "has the encoding UTF-16; save the file as UTF-8"},
    {".mat", "MATLAB", "is data of MATLAB, not a config; write a config as TOML"},
};

/* Returns the reason why a file that begins with `text` is no config; NULL if the file may be a config. */
static const char *why_foreign(const char *file, const char *text, size_t n_bytes)
{
    const char *const dot = strrchr(file, '.');
    for (size_t i = 0; i < WR_COUNT_OF(foreign); i++) {
        const size_t n_magic = strlen(foreign[i].magic);
        if ((dot && strcasecmp(dot, foreign[i].ending) == 0) ||
            (n_magic > 0 && n_bytes >= n_magic && memcmp(text, foreign[i].magic, n_magic) == 0))
            return foreign[i].text;
    }
    return NULL;
}

/* Reads until the end, because a pipe has no size. */
static char *read_all(FILE *stream, size_t max_bytes, size_t *ret_bytes, const char *file,
                      wr_diag *diag)
{
    const wr_where where = {file, 0, 0};
    enum { PIECE = 16 * 1024 }; /* bytes of one read (assumed) */
    wr_text_buffer text = {0};
    const char *why = NULL;
    do {
        char *const at = wr_text_buffer_room(&text, PIECE);
        text.n_bytes += at ? fread(at, 1, PIECE, stream) : 0;
        if (!at)
            wr_diag_add(diag, WRSIM_E_MEMORY, &where, "out of memory while reading the file");
        else if (ferror(stream))
            wr_diag_add(diag, WRSIM_E_IO, &where, "the file cannot be read: %s; name a config file",
                        strerror(errno));
        else if ((why = why_foreign(file, text.text, text.n_bytes)))
            wr_diag_add(diag, WRSIM_E_CONFIG, &where, "the file %s", why);
        else if (text.n_bytes > max_bytes)
            wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                        "the file is larger than %zu bytes; check the name of the file", max_bytes);
        else
            continue;
        wr_text_buffer_done(&text);
        return NULL;
    } while (!feof(stream));
    *ret_bytes = text.n_bytes;
    return wr_text_buffer_take(&text);
}

char *wr_config_file_read(const char *file, size_t max_bytes, size_t *ret_bytes, wr_diag *diag)
{
    const wr_where where = {file, 0, 0};
    if (!file[0]) {
        wr_diag_add(diag, WRSIM_E_IO, NULL, "the name of the config is empty; name a config file");
        return NULL;
    }
    /* wr_open_file_read() sets close-on-exec, because a model may start programs. */
    FILE *const stream = wr_open_file_read(file);
    if (!stream) {
        wr_diag_add(
            diag, WRSIM_E_IO, &where,
            errno == ENODATA
                ? "the file cannot be opened: %s; start the process that writes into this pipe"
                : "the file cannot be opened: %s; check the path and its permissions",
            strerror(errno));
        return NULL;
    }
    struct stat info;
    if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) {
        wr_diag_add(diag, WRSIM_E_IO, &where,
                    "the path is a folder; name the config file in this folder");
        fclose(stream);
        return NULL;
    }
    char *const text = read_all(stream, max_bytes, ret_bytes, file, diag);
    fclose(stream);
    return text;
}
