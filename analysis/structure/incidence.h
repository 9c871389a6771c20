/* Incidence of some components: which variable acts on which, as matrices (Ben Khaled et al. (2013),
 * section 6; docs/METHODS.md, Incidence and block forms).
 *
 * Of a view (view.h): columns act on rows. What is found directly is declared by the models (declared.h) or detected by
 * perturbing them along a run (detect.h); what leads through events is composed of it:
 *
 *     Z->X' = (D->X')(Z->D)    Z->Z = (D->Z)(Z->D)    X->X' through events = (Z->X')(X->Z)
 *
 * Models have more ways than they can declare: modes of indicators in their equations, states that events set, outputs that
 * depend on discrete states. These are detected, and the detected compositions have them:
 *
 *     Z->X' also (M->X') and (X->X')(Z->X)    Z->Z also (M->Z) and (X->Z)(Z->X)
 *
 * Values are strengths, scaled by nominal values: how much of its nominal value a row changes (derivatives: per second) where
 * the column changes by its own; for what happens at events and for modes, what one event does. Declared ones are
 * patterns.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_ANALYSIS_INCIDENCE_H
#define WR_ANALYSIS_INCIDENCE_H

#include "analysis/structure/view.h"
#include "base/matrix.h"

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
    WR_N_DECLARABLE, /* those up to here a model can declare, in the order of wrsim_pattern */
    WR_D_Y = WR_N_DECLARABLE,
    WR_M_DX,
    WR_M_Z,
    WR_Z_X,
    WR_N_DIRECT, /* those from here on are composed */
    WR_Z_DX = WR_N_DIRECT,
    WR_Z_Z,
    WR_X_DX_EVENTS,
    WR_X_DX_ALL,
    WR_N_RELATION
} wr_relation;

typedef struct wr_relation_text {
    const char *id;    /* "x_dx": names of files and keys */
    const char *arrow; /* "X -> X'" */
    const char *meaning;
    wrsim_kind row, column;
} wr_relation_text;

extern const wr_relation_text wr_relations[WR_N_RELATION];

/* The relation of that id, or WR_N_RELATION. */
wr_relation wr_relation_find(const char *id);

typedef struct wr_incidence_set {
    wr_matrix
        *at[WR_N_RELATION]; /* NULL: not known (declared sets lack what models cannot declare) */
    int n_point;            /* detected at so many points; 0: declared */
    long n_refused;         /* perturbations at which models could not be evaluated */
    /* Variables of which every change was refused, so that nothing is known of them; and the first, if there is one. */
    int n_blind, i_blind;
    wrsim_kind blind_kind; /* WRSIM_INDICATOR: its mode */
} wr_incidence_set;

/* Composes what leads through events from what is there. 0, or -1 when out of memory. */
int wr_incidence_compose(wr_incidence_set *set);
void wr_incidence_done(wr_incidence_set *set);

/* The name of row or column i of a relation: that of the variable. */
const char *wr_incidence_name(const wr_view *view, wrsim_kind kind, int i);

#endif
