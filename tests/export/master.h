/* The parts of the test master of FMUs (master.c). Thread: one owner. */
#ifndef WR_TEST_MASTER_H
#define WR_TEST_MASTER_H

#include <stdint.h>

#include "fmu_session.h"

/* Makes random legal calls for n_call calls or limit_s seconds, and compares bits. is_strict: also makes calls out of order, which the FMU
 * must refuse and survive. Ends the program with a sentence on a finding. */
void master_run_random(const fmu *f, uint64_t seed, long n_call, double limit_s, bool is_strict);

#endif
