/* Files of SSP and FMUs that a system names, each read once.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_SOURCES_H
#define WR_SSP_SOURCES_H

#include "subsystems/model_host/fmi/ssp_parts.h"

/* Returns the file of SSP at a path. */
wr_ssp_opened *wr_ssp_sources_open(const wr_ssp_flattener *f, wr_ssp_kind kind, const char *path);
/* Returns the FMU at a path. */
wr_ssp_opened *wr_ssp_sources_open_fmu(const wr_ssp_flattener *f, const char *path);
/* Returns the variable of a name, or of an element "a[2]" of an array "a"; NULL: none. */
const wr_fmi_variable *wr_ssp_sources_variable(const wr_ssp_opened *fmu, const char *name);
/* Resolves a relative URI. Returns the path without its fragment, which is in *ret_fragment. ret_fragment NULL: a fragment is an error, as
 * SSP 1.0 gives fragments a meaning only for packages and for elements of the same file. */
const char *wr_ssp_sources_resolve(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line,
                                   const char *uri, const char *base, const char **ret_fragment);
/* Puts the place of a reference before the reason of a failure. Returns -1. */
int wr_ssp_sources_fail(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line,
                        const char *noun, const char *name, const char *source);

#endif
