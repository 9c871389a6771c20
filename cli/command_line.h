/* The parsed command line, as commands receive it.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_COMMAND_LINE_H
#define WR_COMMAND_LINE_H

enum { WR_CLI_OVERRIDES = 256 };

/* The parsed command line. Strings belong to argv or to `owned`. */
typedef struct wr_cli {
    const char *operand[4];
    int n_operand;
    const char *override[WR_CLI_OVERRIDES]; /* "key=value", in the order of the command line */
    int n_override;
    char *owned[WR_CLI_OVERRIDES]; /* overrides made from options; main() frees them */
    int n_owned;
    char given[24];     /* letters of the options that are present, each once */
    int is_json;        /* --json without a file, as `check` takes it */
    int is_quiet;       /* --quiet */
    int is_progress;    /* --progress: draw progress even if standard error is no terminal */
    double limit;       /* --limit; negative: none */
    int is_all;         /* --all: list expert keys, too */
    int may_lack;       /* --allow-missing: missing signals and points are no difference */
    const char *plugin; /* --plugin; NULL: none */
    const char *checkpoint, *restart; /* --checkpoint, --restart; NULL: none */
    /* --checkpoint-every, simulated s; 0: only at the start and at a stop */
    double checkpoint_every_s;
} wr_cli;

/* A command: a row of the table in commands.c. */
typedef struct wr_command {
    const char *name;
    const char *operands; /* names of the operands, for the usage line */
    int min_operand, max_operand;
    const char
        /* letters of the accepted options (options.c); NULL: the command parses its own command line */
        *options;
    const char *help;
    int (*run)(const wr_cli *cli); /* returns the exit code */
    const char *more;              /* whole lines that --help prints after `help`; NULL: none */
    /* For commands that parse their own command line, else NULL. argv[0] is the command's name. Returns the exit
     * code. */
    int (*own)(int argc, char **argv);
} wr_command;

#endif
