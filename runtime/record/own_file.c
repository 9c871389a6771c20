/* Recognises files by their first bytes. See own_file.h. Thread: any. Real-time: no. */
#include "runtime/record/own_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "runtime/record/log_columns.h"

/* Number of bytes read from a file (assumed). The root group of an HDF5 file, with the attribute of the program's name, is in the first few
 * hundred bytes of the file. */
enum { HEAD_BYTES = 8192 };

typedef struct mark {
    wr_own_kind kind;
    const char *begin;    /* first bytes of the file */
    const char *parts[2]; /* texts in the head of the file, in this order; NULL = none */
} mark;

static const mark marks[] = {
    {WR_OWN_LOG, WR_LOG_CSV_EVENTS, {NULL, NULL}},
    {WR_OWN_LOG, WR_LOG_CSV_WINDOWS, {NULL, NULL}},
    {WR_OWN_RESULT, "time [s],kind,", {NULL, NULL}},
    {WR_OWN_RESULT, "time [s],kind\n", {NULL, NULL}}, /* without signals */
    {WR_OWN_RESULT, "# wrsim ", {NULL, NULL}},        /* CSV of versions up to 0.1.0 */
    {WR_OWN_RESULT, "\x89HDF\r\n\x1a\n", {"program", "wrsim"}},
    {WR_OWN_DESCRIPTION, "{", {"\"program\": \"wrsim csv\"", NULL}},
    {WR_OWN_SUMMARY, "{", {"\"program\": \"wrsim\"", NULL}},
    {WR_OWN_BENCH, "{", {"\"program\": \"wrsim bench\"", NULL}},
    {WR_OWN_DRAWING, "<svg ", {WR_OWN_DRAWING_MARK, NULL}},
    {WR_OWN_CONFIG, WR_OWN_CONFIG_MARK, {NULL, NULL}},
    {WR_OWN_CHECKPOINT, WR_OWN_CHECKPOINT_MARK, {NULL, NULL}},
    {WR_OWN_TRACE, WR_OWN_TRACE_MARK, {NULL, NULL}},
    {WR_OWN_FMU, "PK\x03\x04", {WR_OWN_FMU_FIRST, NULL}},
    {WR_OWN_TOOL, "%%MatrixMarket ", {"\n%wrsim ", NULL}},
    {WR_OWN_TOOL, "<!DOCTYPE html>\n<!-- wrsim report -->\n", {NULL, NULL}},
    {WR_OWN_TOOL, "<svg ", {"<!-- wrsim -->", NULL}},
    {WR_OWN_TOOL, "{", {"\"tool\": \"wrsim ", NULL}},
    {WR_OWN_TOOL, WR_OWN_TOOL_MARK, {NULL, NULL}},
    {WR_OWN_TOOL, "% Written by a tool of wrsim", {NULL, NULL}},
    {WR_OWN_TOOL, "wrsim state space ", {"\n" WR_OWN_TOOL_MARK, NULL}},
};

static const char *const kind_texts[WR_OWN_COUNT] = {
    [WR_OWN_RESULT] = "a result of wrsim",         [WR_OWN_DESCRIPTION] = "a description of wrsim",
    [WR_OWN_SUMMARY] = "a summary of wrsim",       [WR_OWN_BENCH] = "a result of wrsim bench",
    [WR_OWN_DRAWING] = "a drawing of wrsim bench", [WR_OWN_CONFIG] = "a config of wrsim",
    [WR_OWN_CHECKPOINT] = "a checkpoint of wrsim", [WR_OWN_TRACE] = "a trace of wrsim",
    [WR_OWN_TOOL] = "a file of wrsim's tools",     [WR_OWN_LOG] = "an event log of wrsim",
    [WR_OWN_FMU] = "an FMU of wrsim export",
};

static int is_marked(const mark *m, const char *head, size_t n_byte)
{
    const size_t n_begin = strlen(m->begin);
    if (n_byte < n_begin || memcmp(head, m->begin, n_begin) != 0)
        return 0;
    const char *at = head;
    for (int i = 0; i < 2 && m->parts[i]; i++) {
        at = memmem(at, n_byte - (size_t)(at - head), m->parts[i], strlen(m->parts[i]));
        if (!at)
            return 0;
    }
    return 1;
}

/* Returns 1 for a MAT file whose last matrix names wrsim (mat.h). Files of other programs begin like this file. */
static int is_own_mat(int fd, const char *head, size_t n_byte, int64_t file_bytes)
{
    static const char FIRST[] = "Aclass", LAST[] = "wrsim\0wrsim ";
    enum { PLACE = 20, TAIL_BYTES = 256 };
    char tail[TAIL_BYTES];
    if (n_byte < PLACE + sizeof FIRST || memcmp(head + PLACE, FIRST, sizeof FIRST) != 0 ||
        file_bytes < TAIL_BYTES)
        return 0;
    const ssize_t n = pread(fd, tail, sizeof tail, (off_t)(file_bytes - TAIL_BYTES));
    return n > 0 && memmem(tail, (size_t)n, LAST, sizeof LAST - 1) != NULL;
}

const char *wr_own_file_refusal(const char *path, wr_own_kind kind)
{
    struct stat about;
    char head[HEAD_BYTES];
    if (!path[0] || stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
        return NULL;
    /* A program appends texts to a descriptor (base/text_file.h), but results and checkpoints would overwrite the file of a descriptor. */
    if (kind != WR_OWN_RESULT && kind != WR_OWN_CHECKPOINT && wr_open_file_descriptor(path) >= 0)
        return NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    /* If the file cannot be opened, the function returns no refusal. Opening the file for writing reports the error. */
    if (fd < 0)
        return NULL;
    const ssize_t n_byte = read(fd, head, sizeof head);
    const int is_mat = kind == WR_OWN_RESULT && n_byte > 0 &&
                       is_own_mat(fd, head, (size_t)n_byte, (int64_t)about.st_size);
    close(fd);
    if (is_mat)
        return NULL;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (marks[i].kind == kind && n_byte > 0 && is_marked(&marks[i], head, (size_t)n_byte))
            return NULL;
    return kind_texts[kind];
}
