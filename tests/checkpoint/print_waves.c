/* Prints the nodes of signals' waves in a result file, as hexadecimal numbers: print_waves FILE SIGNAL ... */
#include <stdio.h>

#include "runtime/record/results_waves.h"

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        const char *const name = argv[i];
        wrsim_error err = {0};
        wr_results_waves *w = wr_results_waves_load(argv[1], 1, &name, &err);
        printf("%s\n", name);
        for (int k = 0; w && k < w->n_node; k++)
            printf("%a %a %a\n", w->t_s[k], w->value[k], w->slope[k]);
        if (!w && err.status != WRSIM_E_CONFIG) { /* too few nodes for a wave */
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        wr_results_waves_destroy(&w);
    }
    return 0;
}
