/* Writes the factorisation for a subsystem's solver as C code (base/lu_code.h): `wrsim codegen`. Thread: one owner. Real-time: no. */
#ifndef WR_CODEGEN_H
#define WR_CODEGEN_H

#include "wrsim/wrsim.h"

typedef struct wr_codegen {
    int n;         /* number of rows */
    int n_nonzero; /* number of entries of L - tau J */
    int n_factor;  /* number of entries of both LU factors, the diagonal once */
    double factor_flop, solve_flop;
    char subsystem[64]; /* name of the subsystem */
    char pattern[256];  /* the subsystem's solver.pattern; "" = the whole Jacobian */
} wr_codegen;

/* Writes the code to `path`, completely or not at all. Removes solver.code from the config, because the file may still be missing.
 * subsystem: a name, or NULL if only one subsystem has a solver that can use code. Returns WRSIM_E_ARG if no subsystem or several
 * subsystems match, or the matrix is too large or structurally singular; WRSIM_E_IO; WRSIM_E_MEMORY; or an error of wrsim_create().
 * report (may be NULL) receives all errors of the config. */
wrsim_status wr_codegen_write(wrsim_config *config, const char *subsystem, const char *path,
                              wrsim_report_fn report, void *reporter, wr_codegen *ret,
                              wrsim_error *err);

#endif
