/* Options of rack_plant and rack_controller: "--name VALUE" with numbers or texts, from a table. Thread: any. Real-time: no. */
#ifndef RACK_ARGUMENTS_H
#define RACK_ARGUMENTS_H

typedef struct rack_argument {
    const char *name; /* name of the option, such as "--steps" */
    double *number;   /* destination of a number; NULL: the value is a text */
    const char **text;
    double least, most; /* smallest and largest valid number */
    const char *help;
} rack_argument;

/* Reads the options. Returns 0; -1 after an error line on stderr; 1 after --help has printed the table. */
int rack_arguments_read(int argc, char **argv, const rack_argument *table, int n);

#endif
