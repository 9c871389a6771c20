/* Variables of the FMU of a config: ports, scenarios that a host triggers, parameters, recorded signals.
 *
 * The exporter and the FMU make the same list from the same config, so an index into the list is a value reference in the description.
 *
 * Thread: one owner. Real-time: no (setup). */
#ifndef WR_COSIM_VARIABLES_H
#define WR_COSIM_VARIABLES_H

#include <stddef.h>

#include "wrsim/sim.h"

typedef enum wr_cosim_role {
    WR_COSIM_TIME,
    WR_COSIM_INPUT,     /* input port; handle: port */
    WR_COSIM_SWITCH,    /* whether a scenario is on; handle: scenario */
    WR_COSIM_VALUE,     /* value of a scenario; handle: scenario */
    WR_COSIM_TUNABLE,   /* parameter that a scenario changes; handle: scenario */
    WR_COSIM_PARAMETER, /* parameter that is fixed after initialisation */
    WR_COSIM_PORT,      /* output port; handle: port */
    WR_COSIM_SIGNAL     /* recorded signal; handle: index of wrsim_find() */
} wr_cosim_role;

typedef enum wr_cosim_type { WR_COSIM_REAL, WR_COSIM_INTEGER, WR_COSIM_BOOLEAN } wr_cosim_type;

typedef struct wr_cosim_variable {
    const char *name, *unit, *description; /* "": none */
    /* key of an override that sets the start value; NULL: an output, or a switch */
    const char *key;
    wr_cosim_role role;
    wr_cosim_type type;
    double start;    /* NaN: an output */
    double nominal;  /* 0: not declared */
    double min, max; /* both 0: unlimited */
    int is_discrete; /* 1: changes at events only */
    int handle;
} wr_cosim_variable;

typedef struct wr_cosim_list {
    int n;
    wr_cosim_variable *variable;
    struct wr_heap_pool *pool; /* owns the texts */
} wr_cosim_list;

/* Lists the variables of a created simulation. The list does not need the simulation afterwards. The caller destroys the list. Returns NULL with err: WRSIM_E_CONFIG if two variables have
 * the same name, or WRSIM_E_MEMORY. */
wr_cosim_list *wr_cosim_variables_create(const wrsim *sim, wrsim_error *err);
/* list and *list may be NULL. */
void wr_cosim_variables_destroy(wr_cosim_list **list);

/* Returns 1 if a host sets the variable during the run. */
static inline int wr_cosim_variable_is_free(const wr_cosim_variable *v)
{
    return v->role >= WR_COSIM_INPUT && v->role <= WR_COSIM_TUNABLE;
}
static inline int wr_cosim_variable_is_output(const wr_cosim_variable *v)
{
    return v->role >= WR_COSIM_PORT;
}

/* Size of a token, with its final 0. */
enum { WR_COSIM_TOKEN_BYTES = 48 };
/* Writes the token of an FMU, which depends on the version of wrsim and on the text of the config. Returns ret_token. */
const char *wr_cosim_variables_token(const char *text, size_t n_bytes,
                                     char ret_token[WR_COSIM_TOKEN_BYTES]);

/* Name of the config in the folder resources of an FMU. */
#define WR_COSIM_CONFIG "system.toml"

#endif
