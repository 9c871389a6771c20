/* The command line after parsing, as commands see it.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_COMMAND_LINE_H
#define WR_COMMAND_LINE_H

enum { WR_CLI_OVERRIDES = 256 };

/* The command line after parsing. Strings belong to argv or to override_text. */
typedef struct wr_cli {
    const char *operand[4];
    int n_operand;
    const char *override[WR_CLI_OVERRIDES]; /* "key=value", in order */
    int n_override;
    char *owned[WR_CLI_OVERRIDES]; /* overrides made from options, freed at the end */
    int n_owned;
    char given[24];                   /* letters of the options, each once */
    int is_json;                      /* --json without a file: `check` */
    int is_quiet;                     /* --quiet */
    int is_progress;                  /* --progress: also when standard error is no terminal */
    double limit;                     /* --limit; < 0 = none */
    int is_all;                       /* --all: experts' keys, too */
    int may_lack;                     /* --allow-missing: what one side lacks is no difference */
    const char *plugin;               /* --plugin; NULL = none */
    const char *checkpoint, *restart; /* --checkpoint, --restart; NULL = none */
    double checkpoint_every_s;        /* --checkpoint-every; 0 = only where a run is stopped */
} wr_cli;

/* A command: a row of the table in commands.c. */
typedef struct wr_command {
    const char *name;
    const char *operands; /* for usage */
    int min_operand, max_operand;
    const char
        *options; /* letters of those it takes (options.c); NULL = has a command line of its own */
    const char *help;
    int (*run)(const wr_cli *cli); /* returns the exit code */
    const char *more; /* what its --help says below that, whole lines; NULL = nothing */
    /* Of one with a command line of its own: argv[0] is its name; returns the exit code. NULL = it has none. */
    int (*own)(int argc, char **argv);
} wr_command;

#endif
