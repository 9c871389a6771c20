/* Finds models and variables of an assembly by name or number, and computes capacities. Thread: one owner. Real-time: no (setup). */
#ifndef WR_LOOKUP_H
#define WR_LOOKUP_H

#include "runtime/sim/assembly.h"

/* A variable found by its number. */
typedef struct wr_find {
    /* Index among all components, and index among the component's variables of this kind. */
    int i_component, index;
    wrsim_kind kind; /* never an indicator or a parameter */
} wr_find;

/* Finds "component.variable" among outputs, states, discrete states and inputs, in this order. *ret_index is the index among the
 * component's variables of the kind. Returns 0, or -1 if no such variable exists. */
int wr_lookup_name(const wr_assembly *assembly, const char *name, int *ret_component,
                   wrsim_kind *ret_kind, int *ret_index);

/* Returns 1 if an unknown name may belong to an unread or missing component, or to a component that wrsim adds later for a scenario. */
int wr_lookup_may_lack(const wr_assembly *assembly, const char *name);

/* Writes a hint for an unknown name, a text for the end of a message, as wr_names_hint(). Returns ret_hint. */
const char *wr_lookup_hint(const wr_assembly *assembly, const char *name,
                           char ret_hint[WR_NAMES_HINT_BYTES]);

/* Returns a variable's number. Numbers begin at 0, and increase by component, then by kind, then by index. */
int wr_lookup_number(const wr_assembly *assembly, int i_component, wrsim_kind kind, int index);

/* Finds the state, discrete state, input or output with a number of wr_lookup_number(). Returns 0, or -1 if no such variable exists. */
int wr_lookup_variable(const wr_assembly *assembly, int variable, wr_find *ret_find);

/* Finds the subsystem and index of a state, or of the state that an output equals. Returns 0; -1 for any other variable. */
int wr_lookup_state(const wr_assembly *assembly, int variable, int *ret_subsystem, int *ret_state);

/* Returns list i of models: the built-in models, the host's models, then one list per plug-in; NULL after the last list. */
const wrsim_model *const *wr_lookup_models(const wr_assembly *assembly, int i);

/* Returns the first model called `name` in the lists of wr_lookup_models(), or NULL. */
const wrsim_model *wr_lookup_model(const wr_assembly *assembly, const char *name);

/* Writes the name of the connection from an output to a subsystem, "a.y -> b.u". b.u is the first input that the output drives in the
 * subsystem. from: name of the output, which is the whole text if no input reads the output. bytes: size of ret. */
void wr_lookup_connection(const wr_assembly *a, int i_reader, const char *from, char *ret,
                          size_t bytes);

/* Returns the capacity for nodes or rows of one subsystem: `room` with up to MANY subsystems (lookup.c), a share with more. */
int wr_lookup_scaled(const wr_assembly *a, int room);

/* Returns 1 for a relaxed run of one subsystem. Such a run has no windows, and pauses when its rows are half full. */
int wr_lookup_is_lone(const wr_assembly *a);

/* Returns the capacity for rows of a subsystem: the rows of a window or period, or with wr_lookup_is_lone() a number by memory (lookup.c).
 * Returns 1 if the subsystem records nothing. */
int wr_lookup_rows(const wr_assembly *a, const wr_setup *m);

#endif
