/* `wrsim plot`. wrsim writes SVG and text; gnuplot or matplotlib of the system draws other pictures and windows. Thread: main. Real-time: no. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/text_file.h"
#include "cli/command_list.h"
#include "cli/live_line.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/report/plot.h"
#include "runtime/record/own_file.h"

extern char **environ;

typedef struct plot {
    wr_arguments line;
    const char *output;
    int is_text;
} plot;

#define ROW(...) WR_OPTION(plot, __VA_ARGS__)
static const wr_option options[] = {
    ROW("output", "FILE", "picture to write; the extension chooses the format: .svg, .png, .pdf",
        FILE, output, .letter = 'o'),
    ROW("text", NULL, "print a text plot, also if a window is possible", FLAG, is_text,
        .excludes = "output"),
    {.name = NULL}};

enum { COLUMNS_WITHOUT_TERMINAL = 100 };

/* ---- other programs ---- */

enum { WORDS = 6 };

/* Runs a program with a text as its standard input. word[] ends with NULL. Returns the exit code; -1 if the program cannot run, or ends by a
 * signal. */
static int run_program(const char *const word[WORDS], const char *input)
{
    FILE *const text = tmpfile();
    char *argv[WORDS] = {NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int state, code = -1, is_done = text != NULL;
    for (int i = 0; i < WORDS && word[i]; i++) {
        argv[i] = strdup(word[i]);
        is_done = is_done && argv[i];
    }
    if (is_done && fputs(input, text) >= 0 && fflush(text) == 0) {
        rewind(text);
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, fileno(text), STDIN_FILENO);
        /* The programs print messages only. */
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
        fflush(NULL);
        if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0) {
            while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
                ;
            code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    for (int i = 0; i < WORDS; i++)
        free(argv[i]);
    if (text)
        fclose(text);
    return code;
}

/* gnuplot ignores the settings of the user (-d). */
static int run_gnuplot(const wr_plot *p, wr_plot_format format, const char *path)
{
    wr_text_buffer script = {0};
    wr_plot_gnuplot(p, format, path, &script);
    const char *const text = wr_text_buffer_get(&script);
    const char *const window[WORDS] = {"gnuplot", "-d", "-persist", "-"};
    const char *const file[WORDS] = {"gnuplot", "-d", "-"};
    const int code = text ? run_program(format == WR_PLOT_WINDOW ? window : file, text) : -1;
    wr_text_buffer_done(&script);
    return code;
}

static int run_matplotlib(const wr_plot *p, wr_plot_format format, const char *path)
{
    static const char *const words[] = {
        [WR_PLOT_PNG] = "png", [WR_PLOT_PDF] = "pdf", [WR_PLOT_WINDOW] = "window"};
    /* Packages of the system belong to the system's Python. */
    static const char *const pythons[] = {"/usr/bin/python3", "python3"};
    char *const json = wr_plot_json(p);
    int code = -1;
    for (size_t i = 0; json && i < WR_COUNT_OF(pythons) && code != 0; i++)
        code = run_program(
            (const char *const[WORDS]){pythons[i], "-c", wr_plot_python, words[format], path},
            json);
    free(json);
    return code;
}

/* ---- pictures ---- */

/* Returns 1 if path is free, empty, or a picture with this beginning. */
static int may_replace(const char *path, const char *begin)
{
    struct stat about;
    char head[8] = "";
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
        return 1;
    FILE *const in = fopen(path, "rbe");
    if (!in)
        return 1; /* writing reports the error */
    const size_t n = fread(head, 1, sizeof head, in);
    fclose(in);
    return n >= strlen(begin) && memcmp(head, begin, strlen(begin)) == 0;
}

/* Returns 1 if the last bytes of a picture have the mark of its end. On a full disk, gnuplot leaves part of a picture and ends without an
 * error. */
static int is_whole(const char *path, const char *end)
{
    /* more than the mark and the bytes after it: a check sum (PNG) or a line break (PDF) */
    enum { TAIL_BYTES = 16 };
    char tail[TAIL_BYTES];
    FILE *const in = fopen(path, "rbe");
    const int is_read =
        in && fseek(in, -TAIL_BYTES, SEEK_END) == 0 && fread(tail, sizeof tail, 1, in) == 1;
    if (in)
        fclose(in);
    return is_read && memmem(tail, sizeof tail, end, strlen(end)) != NULL;
}

/* Draws into a temporary file and renames it, so that a failure leaves an old picture. end: see is_whole(). */
static wrsim_status draw(const wr_plot *p, wr_plot_format format, const char *path, const char *end,
                         wrsim_error *err)
{
    wr_text_buffer name = {0};
    /* gnuplot reads a leading '|' as a command. */
    wr_text_buffer_add(&name, "%s%s.%ld.tmp", path[0] == '/' ? "" : "./", path, (long)getpid());
    const char *const part = wr_text_buffer_get(&name);
    const int failure = wr_text_file_try(path);
    wrsim_status status = WRSIM_OK;
    if (failure || !part) {
        status = wr_text_file_fail(path, failure ? failure : ENOMEM, err);
    } else if (run_gnuplot(p, format, part) != 0 && run_matplotlib(p, format, part) != 0) {
        status = wr_error_set(err, WRSIM_E_CONFIG,
                              "gnuplot and matplotlib have drawn no picture; install gnuplot or "
                              "python3-matplotlib, free space on the disk, or choose a name with "
                              ".svg");
    } else if (!is_whole(part, end)) {
        status = wr_error_set(err, WRSIM_E_IO,
                              "the drawing program has written no complete picture; free space on "
                              "the disk, or write to another disk");
    } else if (rename(part, path) != 0) {
        status = wr_text_file_fail(path, errno, err);
    }
    if (part && status < 0)
        unlink(part);
    if (status < 0 && !err->file[0])
        snprintf(err->file, sizeof err->file, "%.*s", (int)sizeof err->file - 1, path);
    wr_text_buffer_done(&name);
    return status;
}

static wrsim_status write_picture(const wr_plot *p, const char *path, wrsim_error *err)
{
    static const struct {
        const char *extension, *begin, *end;
        wr_plot_format format;
    } formats[] = {{".png", "\x89PNG", "IEND", WR_PLOT_PNG},
                   {".pdf", "%PDF", "%%EOF", WR_PLOT_PDF}};
    const char *const dot = strrchr(path, '.');
    const char *refusal = NULL;
    wrsim_status status = WRSIM_OK;
    if (dot && strcasecmp(dot, ".svg") == 0) {
        refusal = wr_own_file_refusal(path, WR_OWN_TOOL);
        if (!refusal)
            return wr_plot_write_svg(p, path, err);
    }
    for (size_t i = 0; i < WR_COUNT_OF(formats) && !refusal; i++) {
        if (!dot || strcasecmp(dot, formats[i].extension) != 0)
            continue;
        if (may_replace(path, formats[i].begin))
            return draw(p, formats[i].format, path, formats[i].end, err);
        refusal = "a picture of this format";
    }
    status = refusal ? wr_error_set(err, WRSIM_E_IO,
                                    "the file exists and is not %s, so it stays; name another file",
                                    refusal)
                     : wr_error_set(err, WRSIM_E_ARG,
                                    "the format of the picture is unknown; choose a name with "
                                    ".svg, .png or .pdf");
    snprintf(err->file, sizeof err->file, "%.*s", (int)sizeof err->file - 1, path);
    return status;
}

/* ---- the terminal ---- */

static int has_display(void)
{
    return isatty(STDERR_FILENO) && (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"));
}

/* Opens a window, or prints text. */
static wrsim_status show(const wr_plot *p, int is_text, wrsim_error *err)
{
    if (!is_text && has_display() &&
        (run_gnuplot(p, WR_PLOT_WINDOW, "") == 0 || run_matplotlib(p, WR_PLOT_WINDOW, "") == 0))
        return WRSIM_OK;
    wr_text_buffer text = {0};
    const int columns = wr_live_line_columns();
    wr_plot_text(p, columns < WR_LIVE_LINE_BYTES ? columns : COLUMNS_WITHOUT_TERMINAL, &text);
    const char *const printed = wr_text_buffer_get(&text);
    if (printed)
        fputs(printed, wr_out);
    wr_text_buffer_done(&text);
    return printed ? WRSIM_OK : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the plot");
}

static int has_point(const wr_curves *curves)
{
    for (int i = 0; i < curves->n; i++)
        if (curves->curve[i].n > 0)
            return 1;
    return 0;
}

static int run(void *into)
{
    const plot *const o = into;
    const char *const result = o->line.operand[0], *const slash = strrchr(result, '/');
    const wr_curves_choice choice = {.n_pattern = o->line.n_operand - 1,
                                     .pattern = o->line.operand + 1};
    wrsim_error err = {0};
    wr_curves curves;
    wr_plot p = {0};
    wrsim_status status = wr_curves_load(result, &choice, &curves, &err);
    if (status < 0)
        return wr_tool_end(status, &err);
    if (!has_point(&curves)) {
        status = wr_error_set(&err, WRSIM_E_ARG,
                              "the file has no values of these signals; name another result file, "
                              "or repeat the run with output.points = true");
        snprintf(err.file, sizeof err.file, "%.*s", (int)sizeof err.file - 1, result);
    } else if (!wr_plot_make(&curves, slash ? slash + 1 : result, &p)) {
        status = wr_error_set(&err, WRSIM_E_MEMORY, "out of memory for the plot");
    } else {
        status = o->output ? write_picture(&p, o->output, &err) : show(&p, o->is_text, &err);
    }
    wr_plot_done(&p);
    wr_curves_done(&curves);
    return wr_tool_end(status, &err);
}

const wr_command wr_plot_command = {
    WR_COMMAND("plot", "RESULT SIGNAL ...", 2, 1000, options, run),
    .help = "plot signals of a result as a picture, in a window, or as text",
    .more = "SIGNAL is a name, or a pattern with * and ?. Signals of one unit share a panel. "
            "gnuplot or matplotlib draws windows, .png\n"
            "and .pdf. wrsim draws .svg and text itself.\n",
    .into = &(plot){.output = NULL}};
