/* Incidence of components: which variable acts on which, as matrices (Ben Khaled et al. (2013), section 6;
 * docs/METHODS.md, Incidence and block forms).
 *
 * In the relations of a view (view.h), columns act on rows. Models declare direct relations (wr_declared_make()), or
 * perturbations along a run detect them (detect.h). Products give the relations through events:
 *
 *     Z->X' = (D->X')(Z->D)    Z->Z = (D->Z)(Z->D)    X->X' through events = (Z->X')(X->Z)
 *
 * Models cannot declare some dependences: modes of indicators in equations, states that events set, outputs that depend on discrete
 * states. The detection finds these dependences. The detected compositions include modes and states:
 *
 *     Z->X' also (M->X') and (X->X')(Z->X)    Z->Z also (M->Z) and (X->Z)(Z->X)
 *
 * A value is a strength: the change of a row if the column changes by its nominal value. The unit is the row's nominal value (of a
 * derivative: per second). For an event, a mode, or an earlier value of a discrete state, the strength is the whole change. Declared
 * relations have no values.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_STRUCTURE_INCIDENCE_H
#define WR_STRUCTURE_INCIDENCE_H

#include "base/matrix.h"
#include "offline/structure/view.h"

typedef enum wr_relation {
    WR_X_DX,
    WR_U_DX,
    WR_X_Y,
    WR_U_Y,
    WR_X_Z,
    WR_U_Z,
    WR_Z_D,
    WR_D_DX,
    WR_D_Z,
    WR_N_DECLARABLE, /* number of relations that models can declare, in the order of wrsim_pattern */
    WR_D_Y = WR_N_DECLARABLE,
    WR_M_DX,
    WR_M_Z,
    WR_Z_X,
    WR_N_DIRECT, /* number of direct relations; later relations are compositions */
    WR_Z_DX = WR_N_DIRECT,
    WR_Z_Z,
    WR_X_DX_EVENTS,
    WR_X_DX_ALL,
    WR_N_RELATION
} wr_relation;

typedef struct wr_relation_text {
    const char *id;    /* "x_dx": part of names of files and keys */
    const char *arrow; /* "X -> X'" */
    const char *meaning;
    wrsim_kind row, column;
} wr_relation_text;

extern const wr_relation_text wr_relations[WR_N_RELATION];

/* Returns the relation with an id, or WR_N_RELATION. */
wr_relation wr_relation_find(const char *id);

typedef struct wr_incidence_set {
    /* NULL: unknown, such as M -> X' in a declared set */
    wr_matrix *at[WR_N_RELATION];
    int n_point;    /* number of points of detection; 0: declared, or not yet detected */
    long n_refused; /* number of perturbations that models refused */
    int n_unfired; /* number of components with events that no probe may fire (wr_view_n_unfired()) */
    int n_blind;   /* number of variables of which models refuse every change */
    int i_blind;   /* first variable of which models refuse every change */
    wrsim_kind blind_kind; /* kind of variable i_blind; WRSIM_INDICATOR: its mode */
} wr_incidence_set;

/* Composes the relations through events. Returns 0, or -1 when out of memory. */
int wr_incidence_compose(wr_incidence_set *set);
void wr_incidence_done(wr_incidence_set *set);

/* Returns the name of variable i of a kind, which is a row or column of a relation. */
const char *wr_incidence_name(const wr_view *view, wrsim_kind kind, int i);

/* Joins the relations that models declare along the connections within a view. An undeclared pattern counts as full. No pattern declares
 * how outputs depend on discrete states. So an output that is no state counts as dependent on all discrete states of its component. For
 * correct models each direct relation of the result contains every dependence. The caller owns the set (wr_incidence_done()). Returns 0, or
 * -1 when out of memory. */
int wr_declared_make(const wr_view *view, wr_incidence_set *ret_set);

/* Returns whether the model leaves the pattern undeclared, and the pattern is not empty. */
int wr_declared_is_full(const wr_component *component, wrsim_pattern pattern);

/* Returns the first component, from i_first on, whose model leaves a non-empty pattern undeclared, with the pattern in *ret_pattern.
 * Returns -1 if every pattern is declared. */
int wr_declared_lacks(const wr_view *view, int i_first, wrsim_pattern *ret_pattern);

#endif
