/* The program wrsim: from the command line to a command. Thread: main. Real-time: no. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/crash_report.h"
#include "cli/home_folder.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "runtime/record/hdf5.h"
#include "wrsim/wrsim.h"

static int dispatch(int argc, char **argv)
{
    const int i = wr_command_line_operand(wr_commands, argc, argv);
    const char *const word = i < argc ? argv[i] : NULL;
    const wr_command *const command = wr_command_find(word);
    if (command) {
        char *const name = argv[i];
        memmove(argv + 1, argv, (size_t)i * sizeof *argv);
        argv[1] = name;
        return wr_command_line_run(command, argc - 1, argv + 1);
    }
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-h") == 0 || strcmp(argv[k], "--help") == 0) {
            wr_commands_print();
            return 0;
        }
        if (strcmp(argv[k], "-V") == 0 || strcmp(argv[k], "--version") == 0) {
            fprintf(wr_out, "wrsim %s\n", wrsim_version());
            return 0;
        }
    }
    if (argc < 2) {
        wr_commands_print();
        return wrsim_status_exit_code(WRSIM_E_ARG);
    }
    const char *const meant = word ? wr_command_meant(word) : NULL;
    if (meant)
        return wr_print_misuse("", "unknown command '%s'; did you mean '%s'?", word, meant);
    char name[] = "run", why[WR_OPTION_WHY_BYTES];
    argv[0] = name;
    if (word && !strpbrk(word, "./") && access(word, F_OK) != 0) {
        /* An unknown option comes first: the word may be its value. */
        if (i > 1 && wr_options_parse(wr_commands[0], i + 1, argv, wr_commands[0]->into, why) < 0)
            return wr_print_misuse(name, "%s", why);
        return wr_print_misuse("", "'%s' is neither a command nor a file", word);
    }
    return wr_command_line_run(wr_commands[0], argc, argv);
}

int main(int argc, char **argv)
{
    wr_program_output_open();
    wr_crash_report_install();
    wr_home_folder_keep();
    wr_results_leave_hdf5();
    /* a write above the file size limit fails like a write to a full disk */
    signal(SIGXFSZ, SIG_IGN);
    /* A copy of argv, because dladdr(), which base/module.c calls, reads the original argv[0] as the name of the program. */
    char **const words = calloc((size_t)argc + 1, sizeof *words);
    if (!words) {
        wr_crash_report_end();
        fputs("wrsim: error: out of memory for options\n", wr_err);
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    }
    memcpy(words, argv, (size_t)argc * sizeof *words);
    const int code = dispatch(argc, words);
    free(words);
    const int error_number = wr_program_output_close();
    wr_crash_report_end();
    if (error_number == 0)
        return code;
    fprintf(wr_err,
            "wrsim: error: standard output cannot be written: %s; check the file or program that "
            "receives the output\n",
            strerror(error_number));
    return code != 0 ? code : wrsim_status_exit_code(WRSIM_E_IO);
}
