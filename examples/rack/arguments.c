/* Options from a table. See arguments.h. Thread: any. Real-time: no. */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rack_arguments_read(int argc, char **argv, const rack_argument *table, int n)
{
    for (int i = 1; i < argc; i += 2) {
        int k = 0;
        if (strcmp(argv[i], "--help") == 0) {
            printf("usage: %s [OPTION VALUE]...\n", argv[0]);
            for (; k < n; k++)
                printf("%-14s %s\n", table[k].name, table[k].help);
            return 1;
        }
        while (k < n && strcmp(argv[i], table[k].name) != 0)
            k++;
        if (k == n || i + 1 == argc) {
            fprintf(stderr, "%s: %s '%s'; see --help\n", argv[0],
                    k == n ? "unknown option" : "no value after", argv[i]);
            return -1;
        }
        if (table[k].text)
            *table[k].text = argv[i + 1];
        else {
            const rack_argument *const a = &table[k];
            char *end = NULL;
            const double value = strtod(argv[i + 1], &end);
            if (end == argv[i + 1] || *end != '\0' || !(value >= a->least && value <= a->most)) {
                fprintf(stderr, "%s: %s needs a number from %g to %g, not '%s'\n", argv[0], a->name,
                        a->least, a->most, argv[i + 1]);
                return -1;
            }
            *a->number = value;
        }
    }
    return 0;
}
