/* Writes the factorisation that a subsystem's solver needs as C (base/lu_code.h): `wrsim codegen`.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_CODEGEN_H
#define WR_CODEGEN_H

#include "wrsim/wrsim.h"

typedef struct wr_codegen {
    int n, n_nonzero, n_factor; /* rows; entries of c L - J; of L and U together */
    double factor_flop, solve_flop;
    char subsystem[64]; /* whose, */
    char pattern[256];  /* with which solver.pattern; "" = the whole Jacobian */
} wr_codegen;

/* config is changed: solver.code of all is taken out, for it need not be there yet. subsystem: a name, or NULL where only one has
 * a solver that can use code. Fails with WRSIM_E_ARG where that is not so, the matrix is too large, or singular whatever its
 * values are; WRSIM_E_IO; WRSIM_E_MEMORY; with what the config has wrong (report, may be NULL, gets it all). The file is
 * written whole or not at all. */
wrsim_status wr_codegen_write(wrsim_config *config, const char *subsystem, const char *path,
                              wrsim_report_fn report, void *reporter, wr_codegen *ret,
                              wrsim_error *err);

#endif
