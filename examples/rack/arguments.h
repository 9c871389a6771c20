/* Options of the two programs: "--name VALUE" with numbers or texts, from a table.
 *
 * Thread: any. Real-time: no.
 */
#ifndef RACK_ARGUMENTS_H
#define RACK_ARGUMENTS_H

typedef struct rack_argument {
    const char *name; /* "--steps" */
    double *number;   /* one of the two */
    const char **text;
    double least, most; /* of a number */
    const char *help;
} rack_argument;

/* 0; -1 after a line on stderr that says what is wrong; 1 after the table was printed for --help. */
int rack_arguments_read(int argc, char **argv, const rack_argument *table, int n);

#endif
