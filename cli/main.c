/* The program wrsim: from the command line to a command.
 *
 * Thread: main. Real-time: no.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "base/open_file.h"
#include "base/toml_string.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/crash_report.h"
#include "cli/home_folder.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "runtime/record/results.h"

static int add_override(wr_cli *cli, const char *text)
{
    if (cli->n_override == WR_CLI_OVERRIDES)
        return wr_print_usage_error("more than %d overrides", WR_CLI_OVERRIDES);
    cli->override[cli->n_override++] = text;
    return 0;
}

/* Adds the override key = "value", with a file name as value, quoted as a TOML string. */
static int add_quoted(wr_cli *cli, const char *key, const char *value)
{
    if (cli->n_owned == WR_CLI_OVERRIDES)
        return wr_print_usage_error("too many options");
    if (!wr_utf8_is_valid(value))
        return wr_print_usage_error("the name '%s' is not UTF-8; choose another", value);
    char *const text = malloc(strlen(key) + 1 + WR_TOML_STRING_BYTES(strlen(value)));
    if (!text) {
        fputs("wrsim: error: out of memory for options\n", wr_err);
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    }
    wr_toml_string(value, text + sprintf(text, "%s=", key));
    cli->owned[cli->n_owned++] = text;
    return add_override(cli, text);
}

/* Returns the number that the text holds; NaN: the text is no number. */
static double number_of(const char *text)
{
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    return end == text || *end || errno ? (double)NAN : number;
}

/* Sets the file name that an option takes. */
static int set_file(const char **file, const char *option, const char *text)
{
    *file = text;
    return *text ? 0 : wr_print_usage_error("%s takes the name of a file, not ''", option);
}

/* Refuses standard output and error: a checkpoint is binary and is replaced while the run goes on. */
static int set_checkpoint(wr_cli *cli, const char *text)
{
    const int fd = wr_open_file_descriptor(text);
    if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
        return wr_print_usage_error("--checkpoint takes a file of its own, not '%s': it is "
                                    "replaced as the run goes on",
                                    text);
    return set_file(&cli->checkpoint, "--checkpoint", text);
}

static int set_limit(wr_cli *cli, const char *text)
{
    cli->limit = number_of(text);
    if (!(cli->limit >= 0.0))
        return wr_print_usage_error("--limit takes a number >= 0, not '%s'", text);
    return 0;
}

static int set_every(wr_cli *cli, const char *text)
{
    cli->checkpoint_every_s = number_of(text);
    if (!(cli->checkpoint_every_s > 0.0) || !isfinite(cli->checkpoint_every_s))
        return wr_print_usage_error("--checkpoint-every takes simulated seconds > 0, not '%s'",
                                    text);
    return 0;
}

/* Refuses an option whose partner is missing. */
static int check_together(const wr_cli *cli)
{
    if (cli->checkpoint_every_s > 0.0 && !cli->checkpoint)
        return wr_print_usage_error("--checkpoint-every needs --checkpoint FILE");
    return 0;
}

/* Prints why getopt_long refuses an option. c is ':' if a value is missing, else '?'. word is the word at which getopt_long
 * stopped; for a letter among others ("-xq") it is the word before. */
static int refuse_option(int c, const char *word)
{
    if (c == ':')
        return wr_print_usage_error("option '%s' needs a value", word);
    static const char *const other = "; a key of the config is set with -D KEY=VALUE";
    const int n_word = (int)strcspn(word, "=");
    const struct option *const options = wr_options();
    const char *names[32];
    int n = 0;
    for (; options[n].name && n < 32; n++) {
        names[n] = options[n].name;
        if (options[n].val == optopt && word[n_word] == '=' &&
            strncmp(names[n], word + 2, (size_t)n_word - 2) == 0)
            return wr_print_usage_error("option '%.*s' takes no value", n_word, word);
    }
    if (optopt != 0)
        return wr_print_usage_error("there is no option '-%c'%s", optopt, other);
    char text[64];
    snprintf(text, sizeof text, "%.*s", n_word - 2, word + 2);
    const char *const nearest = wr_names_nearest(text, names, n);
    return wr_print_usage_error("there is no option '%.*s'%s%s%s", n_word, word,
                                nearest ? "; did you mean '--" : "", nearest ? nearest : other,
                                nearest ? "'?" : "");
}

/* Returns the first word that is neither an option nor the value of one; NULL: none. */
static const char *first_operand(int argc, char **argv)
{
    for (int c; (c = getopt_long(argc, argv, "+" WR_SHORT_OPTIONS, wr_options(), NULL)) != -1;)
        if (c == 'j' && !optarg && optind < argc && argv[optind][0] != '-' &&
            strcmp(argv[optind], "check") != 0)
            optind++;
    const char *const word = optind < argc ? argv[optind] : NULL;
    optind = 0; /* getopt_long starts over */
    return word;
}

/* Parses the options. Returns 0 to go on, otherwise an exit code + 1, as --help ends with 0. */
static int parse(int argc, char **argv, wr_cli *cli)
{
    const wr_command *const command = wr_command_find(first_operand(argc, argv));
    const int is_check = command && strcmp(command->name, "check") == 0;
    int c, code = 0;
    while (code == 0 && (c = getopt_long(argc, argv, WR_SHORT_OPTIONS, wr_options(), NULL)) != -1) {
        const char *const word = argv[optind - 1];
        if ((c == 'D' || c == 'o') && strncmp(word, "--", 2) != 0 && optarg == word + 2 &&
            *optarg == '=')
            return 1 + wr_print_usage_error("write '-%c %s', not '%s'", c, optarg + 1, word);
        if (!strchr(cli->given, c))
            cli->given[strlen(cli->given)] = (char)c;
        switch (c) {
        case 'D':
            code = add_override(cli, optarg);
            break;
        case 'o':
            code = add_quoted(cli, "output.file", optarg);
            break;
        case 'j':
            /* `--json FILE` or `--json=FILE`; for check it takes no file. */
            if (is_check && !optarg)
                cli->is_json = 1;
            else if (is_check)
                code = wr_print_usage_error("--json of 'check' takes no file: it prints");
            else if (optarg)
                code = add_quoted(cli, "output.json", optarg);
            else if (optind < argc && argv[optind][0] != '-')
                code = add_quoted(cli, "output.json", argv[optind++]);
            else
                code = wr_print_usage_error("--json needs a file");
            break;
        case 'm':
            code = add_override(cli, "simulation.monolithic=true");
            break;
        case 'l':
            code = set_limit(cli, optarg);
            break;
        case 'A':
            cli->is_all = 1;
            break;
        case 'a':
            cli->may_lack = 1;
            break;
        case 'p':
            code = set_file(&cli->plugin, "--plugin", optarg);
            break;
        case 'c':
            code = set_checkpoint(cli, optarg);
            break;
        case 'e':
            code = set_every(cli, optarg);
            break;
        case 'r':
            code = set_file(&cli->restart, "--restart", optarg);
            break;
        case 'g':
            cli->is_progress = 1;
            break;
        case 'q':
            cli->is_quiet = 1;
            break;
        case 'h':
            return 1 + wr_print_help(wr_commands, command);
        case 'V':
            fprintf(wr_out, "wrsim %s\n", wrsim_version());
            return 1;
        default:
            code = refuse_option(c, word);
        }
    }
    code = code == 0 ? check_together(cli) : code;
    return code == 0 ? 0 : code + 1;
}

static int dispatch(int argc, char **argv, wr_cli *cli)
{
    const wr_command *command = &wr_commands[0];
    if (optind < argc && wr_command_find(argv[optind])) {
        command = wr_command_find(argv[optind++]);
    } else if (optind < argc) {
        const char *const meant = wr_command_meant(argv[optind]);
        if (meant)
            return wr_print_usage_error("there is no command '%s'; did you mean '%s'?",
                                        argv[optind], meant);
        if (!strpbrk(argv[optind], "./") && access(argv[optind], F_OK) != 0)
            return wr_print_usage_error("there is no command and no file '%s'", argv[optind]);
    } else {
        wr_print_help(wr_commands, NULL);
        return wrsim_status_exit_code(WRSIM_E_ARG);
    }
    const struct option *option = wr_options();
    for (; command->options && option->name; option++)
        if (strchr(cli->given, option->val) && !strchr(command->options, option->val))
            return wr_print_misuse(command->name, "'%s' takes no option '--%s'", command->name,
                                   option->name);
    if (command->own)
        return wr_print_misuse(command->name, "write options after the word %s", command->name);
    const int n = argc - optind;
    if (n < command->min_operand)
        return wr_print_misuse(command->name, "'%s' takes %s", command->name, command->operands);
    if (n > command->max_operand)
        return wr_print_misuse(command->name, "'%s' takes %s; '%s' is too much%s", command->name,
                               command->operands, argv[optind + command->max_operand],
                               strchr(cli->given, 'D') ||
                                       strchr(argv[optind + command->max_operand], '=')
                                   ? "; a key is set in one word, -D KEY=VALUE"
                                   : "");
    for (int i = 0; i < n; i++)
        cli->operand[i] = argv[optind + i];
    cli->n_operand = n;
    return command->run(cli);
}

int main(int argc, char **argv)
{
    wr_cli cli = {.limit = -1.0};
    wr_program_output_open();
    wr_crash_report_install();
    wr_home_folder_keep();
    wr_results_leave_hdf5();
    opterr = 0;               /* refuse_option() prints the error */
    signal(SIGXFSZ, SIG_IGN); /* a file above the size limit is reported as a full disk */
    int code;
    const wr_command *const first = argc > 1 ? wr_command_find(argv[1]) : NULL;
    if (first && first->own) {
        code = first->own(argc - 1, argv + 1);
    } else {
        code = parse(argc, argv, &cli);
        code = code != 0 ? code - 1 : dispatch(argc, argv, &cli);
    }
    for (int i = 0; i < cli.n_owned; i++)
        free(cli.owned[i]);
    const int error_number = wr_program_output_close();
    wr_crash_report_end();
    if (error_number == 0)
        return code;
    fprintf(wr_err, "wrsim: error: standard output cannot be written: %s\n",
            strerror(error_number));
    return code != 0 ? code : wrsim_status_exit_code(WRSIM_E_IO);
}
