/* Incidence of some components. See incidence.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "offline/structure/incidence.h"

#include <string.h>

const wr_relation_text wr_relations[WR_N_RELATION] = {
    [WR_X_DX] = {"x_dx", "X -> X'", "derivatives by states", WRSIM_STATE, WRSIM_STATE},
    [WR_U_DX] = {"u_dx", "U -> X'", "derivatives by inputs", WRSIM_STATE, WRSIM_INPUT},
    [WR_X_Y] = {"x_y", "X -> Y", "outputs by states", WRSIM_OUTPUT, WRSIM_STATE},
    [WR_U_Y] = {"u_y", "U -> Y", "outputs by inputs", WRSIM_OUTPUT, WRSIM_INPUT},
    [WR_X_Z] = {"x_z", "X -> Z", "event indicators by states", WRSIM_INDICATOR, WRSIM_STATE},
    [WR_U_Z] = {"u_z", "U -> Z", "event indicators by inputs", WRSIM_INDICATOR, WRSIM_INPUT},
    [WR_Z_D] = {"z_d", "Z -> D", "discrete states that events set", WRSIM_DISCRETE,
                WRSIM_INDICATOR},
    [WR_D_DX] = {"d_dx", "D -> X'", "derivatives by discrete states", WRSIM_STATE, WRSIM_DISCRETE},
    [WR_D_Z] = {"d_z", "D -> Z", "event indicators by discrete states", WRSIM_INDICATOR,
                WRSIM_DISCRETE},
    [WR_D_Y] = {"d_y", "D -> Y", "outputs by discrete states", WRSIM_OUTPUT, WRSIM_DISCRETE},
    [WR_M_DX] = {"m_dx", "M -> X'", "derivatives by modes of indicators", WRSIM_STATE,
                 WRSIM_INDICATOR},
    [WR_M_Z] = {"m_z", "M -> Z", "event indicators by modes of indicators", WRSIM_INDICATOR,
                WRSIM_INDICATOR},
    [WR_Z_X] = {"z_x", "Z -> X", "states that events set", WRSIM_STATE, WRSIM_INDICATOR},
    [WR_Z_DX] = {"z_dx", "Z -> X'", "derivatives by events", WRSIM_STATE, WRSIM_INDICATOR},
    [WR_Z_Z] = {"z_z", "Z -> Z", "event indicators by events", WRSIM_INDICATOR, WRSIM_INDICATOR},
    [WR_X_DX_EVENTS] = {"x_dx_events", "X -> Z -> X'", "derivatives by states, through events",
                        WRSIM_STATE, WRSIM_STATE},
    [WR_X_DX_ALL] = {"x_dx_all", "X -> X' in all",
                     "derivatives by states, directly or through events", WRSIM_STATE, WRSIM_STATE},
};

wr_relation wr_relation_find(const char *id)
{
    int i = 0;
    while (i < WR_N_RELATION && strcmp(wr_relations[i].id, id) != 0)
        i++;
    return (wr_relation)i;
}

const char *wr_incidence_name(const wr_view *view, wrsim_kind kind, int i)
{
    return view->variable[kind][i].name;
}

void wr_incidence_done(wr_incidence_set *set)
{
    for (int i = 0; i < WR_N_RELATION; i++)
        wr_matrix_destroy(&set->at[i]);
    *set = (wr_incidence_set){0};
}

/* One term of a composed relation: the product of relations a and b is added to relation `to`. */
typedef struct way {
    wr_relation to, a, b; /* to |= a b; b = WR_N_RELATION: to |= a */
} way;
static const way ways[] = {
    {WR_Z_DX, WR_D_DX, WR_Z_D},
    {WR_Z_DX, WR_M_DX, WR_N_RELATION},
    {WR_Z_DX, WR_X_DX, WR_Z_X},
    {WR_Z_Z, WR_D_Z, WR_Z_D},
    {WR_Z_Z, WR_M_Z, WR_N_RELATION},
    {WR_Z_Z, WR_X_Z, WR_Z_X},
    {WR_X_DX_EVENTS, WR_Z_DX, WR_X_Z},
    {WR_X_DX_ALL, WR_X_DX, WR_N_RELATION},
    {WR_X_DX_ALL, WR_X_DX_EVENTS, WR_N_RELATION},
};

static int add_way(wr_incidence_set *set, const way *w)
{
    const wr_matrix *const a = set->at[w->a], *const b =
                                                  w->b < WR_N_RELATION ? set->at[w->b] : NULL;
    if (!a || (w->b < WR_N_RELATION && !b))
        return 0; /* models cannot declare a or b */
    wr_matrix *made = b ? wr_matrix_chain(a, b) : wr_matrix_permute(a, NULL, NULL);
    wr_matrix **const to = &set->at[w->to];
    if (made && *to) {
        wr_matrix *joined = wr_matrix_join(*to, made);
        wr_matrix_destroy(&made);
        wr_matrix_destroy(to);
        made = joined;
    }
    *to = made;
    return made ? 0 : -1;
}

int wr_incidence_compose(wr_incidence_set *set)
{
    for (int i = WR_N_DIRECT; i < WR_N_RELATION; i++)
        wr_matrix_destroy(&set->at[i]);
    for (size_t i = 0; i < WR_COUNT_OF(ways); i++)
        if (add_way(set, &ways[i]) < 0)
            return -1;
    return 0;
}
