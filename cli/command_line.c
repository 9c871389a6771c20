/* See command_line.h. Thread: main. Real-time: no. */
#include "cli/command_line.h"

#include <stdarg.h>
#include <string.h>

#include "cli/print.h"
#include "cli/program_output.h"
#include "subsystems/model_host/fmi/fmi_config.h"
#include "subsystems/model_host/fmi/ssp_config.h"

int wr_command_line_run(const wr_command *command, int argc, char **argv)
{
    static char why[WR_OPTION_WHY_BYTES];
    const wr_command *const form = command->choose ? command->choose(&argc, argv) : NULL;
    const wr_command *const c = form ? form : command;
    ((wr_arguments *)c->into)->parent = form ? command : NULL;
    const int parsed = wr_options_parse(c, argc, argv, c->into, why);
    if (parsed < 0)
        return wr_print_misuse(c->name, "%s", why);
    const char *const file =
        parsed == 0 && c->needs_config ? ((const wr_arguments *)c->into)->operand[0] : NULL;
    if (file && (wr_fmi_config_is_fmu(file) || wr_ssp_config_is_system(file)))
        return wr_print_misuse(c->name,
                               "'%s' is %s, and %s takes a config; write one by `wrsim import '%s' "
                               "--write CONFIG`",
                               file, wr_ssp_config_is_system(file) ? "a system of SSP" : "an FMU",
                               c->name, file);
    if (parsed == 0)
        return c->run(c->into);
    wr_options_print_help(wr_out, c);
    return 0;
}

int wr_command_line_refuse(const void *into, const char *format, ...)
{
    char why[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return wr_print_misuse(((const wr_arguments *)into)->command->name, "%s", why);
}

/* Returns whether the word is an option whose value is the next word. */
static int takes_next(const wr_command *const *commands, const char *word, const char *next)
{
    int is_flag = 0, has_value = 0, is_command = 0;
    for (; *commands; commands++) {
        is_command |= strcmp((*commands)->name, next) == 0;
        for (const wr_option *o = (*commands)->option; o->name; o++)
            if (word[1] == '-' ? strcmp(word + 2, o->name) == 0
                               : o->letter && word[strlen(word) - 1] == o->letter) {
                is_flag |= !o->value;
                has_value |= o->value != NULL;
            }
    }
    return has_value && !(is_flag && is_command);
}

int wr_command_line_operand(const wr_command *const *commands, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            return i + 1;
        if (argv[i][0] != '-' || !argv[i][1])
            return i;
        i += i + 1 < argc && takes_next(commands, argv[i], argv[i + 1]);
    }
    return argc;
}
