/* Saved states of an instance of an exported FMU. Thread: one owner; a lock guards the list of all states. Real-time: no. */
#ifndef WR_FMU_STATE_H
#define WR_FMU_STATE_H

#include "runtime/cosim/fmu/fmu_types.h"

typedef struct wr_fmu_state wr_fmu_state;

/* Saves the state of the instance in *state; *state NULL: a new one. The caller frees the state before the instance. */
wr_fmu_status wr_fmu_state_get(wr_fmu *fmu, wr_fmu_state **state);
wr_fmu_status wr_fmu_state_set(wr_fmu *fmu, wr_fmu_state *state);
/* Frees a state, and sets *state to NULL. state and *state may be NULL. Returns 0, or -1 if no instance has such a state, because the
 * state or its instance has been freed. */
int wr_fmu_state_free(wr_fmu_state **state);
/* Frees the states that a host has left, at the end of the instance. */
void wr_fmu_state_free_all(const wr_fmu *fmu);
/* Writes the state as bytes. The bytes belong to the state. The present state of the instance does not change. */
wr_fmu_status wr_fmu_state_bytes(wr_fmu *fmu, wr_fmu_state *state, const unsigned char **ret_bytes,
                                 size_t *ret_n);
/* Copies these bytes to to[cap]. */
wr_fmu_status wr_fmu_state_write(wr_fmu *fmu, wr_fmu_state *state, void *to, size_t cap);
/* Sets *state from bytes that another process may have written; *state NULL: a new one. Checks the bytes. */
wr_fmu_status wr_fmu_state_read(wr_fmu *fmu, const unsigned char *bytes, size_t n,
                                wr_fmu_state **state);

#endif
