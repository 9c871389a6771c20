/* Saved states of an instance of an exported FMU. Thread: one owner. Real-time: no. */
#ifndef WR_FMU_STATE_H
#define WR_FMU_STATE_H

#include "runtime/cosim/fmu/fmu_types.h"

typedef struct wr_fmu_state wr_fmu_state;

/* Saves the state of the instance in *state, which the caller frees; *state NULL: a new one. */
wr_fmu_status wr_fmu_state_get(wr_fmu *fmu, wr_fmu_state **state);
wr_fmu_status wr_fmu_state_set(wr_fmu *fmu, wr_fmu_state *state);
void wr_fmu_state_free(wr_fmu_state **state);
/* Writes the state as bytes. The bytes belong to the state. The present state of the instance does not change. */
wr_fmu_status wr_fmu_state_bytes(wr_fmu *fmu, wr_fmu_state *state, const unsigned char **ret_bytes,
                                 size_t *ret_n);
/* Copies these bytes to to[cap]. */
wr_fmu_status wr_fmu_state_write(wr_fmu *fmu, wr_fmu_state *state, void *to, size_t cap);
/* Sets *state from bytes that another process may have written; *state NULL: a new one. Checks the bytes. */
wr_fmu_status wr_fmu_state_read(wr_fmu *fmu, const unsigned char *bytes, size_t n,
                                wr_fmu_state **state);

#endif
