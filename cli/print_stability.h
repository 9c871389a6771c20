/* The output of `wrsim stability`, as text.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_STABILITY_H
#define WR_PRINT_STABILITY_H

#include "offline/stability/stability_files.h"

void wr_print_method(const wr_stepper *stepper, const wr_method_facts *facts);
void wr_print_stability(const wr_stability *stability, const char *config);

#endif
