/* `wrsim codegen`. Thread: main. Real-time: no. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "offline/codegen.h"

/* Returns the length of "robot_lu" in "robot_lu.c"; 0 if the name has no ending .c, by which compilers recognise C. */
static int stem_bytes(const char *path)
{
    const size_t n = strlen(path);
    return (int)(n > 2 && strcmp(path + n - 2, ".c") == 0 ? n - 2 : 0);
}

/* Writes the absolute path of a file's folder; "" if the folder has no absolute path. */
static void find_folder(const char *path, char ret_folder[PATH_MAX])
{
    char folder[PATH_MAX];
    const char *const slash = strrchr(path, '/');
    /* The length includes the slash, because "/" is a folder. */
    const int n = slash ? (int)(slash - path) + 1 : 0;
    snprintf(folder, sizeof folder, "%.*s", n, path);
    if (!realpath(n > 0 ? folder : ".", ret_folder))
        ret_folder[0] = '\0';
}

typedef struct codegen {
    wr_arguments line;
    int is_quiet;
} codegen;

#define ROW(...) WR_OPTION(codegen, __VA_ARGS__)
static const wr_option options[] = {
    ROW("quiet", NULL, "print no counts", FLAG, is_quiet, .letter = 'q'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static int run(void *into)
{
    const codegen *const c = into;
    const char *const *const operand = c->line.operand, *const path = operand[1];
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    wr_codegen made;
    if (stem_bytes(path) == 0)
        return wr_command_line_refuse(
            c, "'%s' must be a C file with the ending .c; write CONFIG first, then FILE.c", path);
    wrsim_status status = wrsim_config_from_file(operand[0], c->line.override, c->line.n_override,
                                                 wr_print_error, NULL, &config, NULL);
    if (status >= 0) {
        status = wr_codegen_write(config, c->line.n_operand > 2 ? operand[2] : NULL, path,
                                  wr_print_error, NULL, &made, &err);
        if (status < 0 && err.text[0])
            wr_print_error(NULL, &err);
    }
    wrsim_config_destroy(&config);
    if (status < 0)
        return wrsim_status_exit_code(status);
    if (c->is_quiet)
        return 0;
    fprintf(wr_out,
            "%s: %d x %d, %d entr%s, %d of L and U; %.0f operation%s to factorise, %.0f to solve\n",
            made.subsystem, made.n, made.n, made.n_nonzero, made.n_nonzero == 1 ? "y" : "ies",
            made.n_factor, made.factor_flop, wr_plural((int64_t)made.factor_flop), made.solve_flop);
    fprintf(wr_out, "compile:  cc -O2 -ffp-contract=off -shared -fPIC -o %.*s.so %s\n",
            stem_bytes(path), path, path);
    char at_config[PATH_MAX], at_code[PATH_MAX];
    const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
    find_folder(operand[0], at_config);
    find_folder(path, at_code);
    const int is_beside = strcmp(at_config, at_code) == 0;
    fprintf(wr_out, "then:     solver.code = \"%s%s%.*s.so\" in the config\n",
            is_beside ? "" : at_code, is_beside ? "" : "/", stem_bytes(name), name);
    return 0;
}

const wr_command wr_codegen_command = {
    WR_COMMAND("codegen", "CONFIG FILE.c [SUBSYSTEM]", 2, 3, options, run),
    .help = "write the factorisation of linimp as C code without branches",
    .more =
        "The matrix is L - tau J with the entries that solver.pattern keeps, or with all entries. "
        "The code fits this pattern\nonly. The compiled file is the value of solver.code.\n",
    .into = &(codegen){.is_quiet = 0}};
