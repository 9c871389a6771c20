/* Input blocks: contiguous inputs that a model reads in place (wrsim_description.port). See group.h.
 *
 * An input block needs no copy if its values are contiguous and in the order of the inputs. The model then gets a pointer to the values,
 * among the states, the external inputs, or the computed outputs. A value that needs a conversion of its unit is copied. During the
 * solution of a loop, the loop's outputs are also among the computed outputs. Each evaluation copies other inputs; inputs without a driver
 * keep their defaults. If a model has tangent() or tangent_output(), evaluations copy all inputs, because directional derivatives change
 * the copies.
 *
 * Thread: one owner. Real-time: no (setup only), except wr_group_input().
 */
#include "subsystems/group/group.h"

#include <string.h>

#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_plan.h"

/* The array that has an input block's values. */
typedef enum place {
    PLACE_NONE, /* not contiguous: evaluations copy the values to u */
    PLACE_STATES,
    PLACE_EXTERNAL,
    PLACE_OUTPUTS
} place;

/* Returns whether the drivers of n inputs are consecutive. Numbers of external drivers descend. */
static int is_in_order(const int *driver, int n)
{
    const int step = driver[0] <= -2 ? -1 : 1;
    for (int i = 1; i < n; i++)
        if (driver[i] != driver[0] + i * step)
            return 0;
    return driver[0] != -1 && (driver[0] >= 0 ? driver[n - 1] >= 0 : driver[n - 1] <= -2);
}

/* Returns whether outputs y to y + n - 1 are computed. */
static int are_computed(const wr_group *group, int y, int n)
{
    for (int i = y; i < y + n; i++)
        if (group->state_of_output[i] >= 0)
            return 0;
    return 1;
}

/* Returns whether the drivers are consecutive states. */
static int are_states(const wr_group *group, const int *driver, int n)
{
    for (int i = 0; i < n; i++)
        if (driver[i] < 0 || group->state_of_output[driver[i]] < 0 ||
            group->state_of_output[driver[i]] != group->state_of_output[driver[0]] + i)
            return 0;
    return 1;
}

/* Returns the array with an input block's values, and sets the index of the first value. */
static place find_place(const wr_group *group, int first, int n, int *ret_start)
{
    const int *const driver = wr_group_drivers(group) + first;
    for (int u = first; u < first + n; u++)
        if (wr_unit_is_scaled(wr_group_scale(group, u)))
            return PLACE_NONE;
    if (are_states(group, driver, n)) {
        *ret_start = group->state_of_output[driver[0]];
        return PLACE_STATES;
    }
    if (!is_in_order(driver, n))
        return PLACE_NONE;
    *ret_start = driver[0] >= 0 ? driver[0] : -2 - driver[0];
    if (driver[0] <= -2)
        return PLACE_EXTERNAL;
    return are_computed(group, driver[0], n) ? PLACE_OUTPUTS : PLACE_NONE;
}

/* Work data for linking a group's input blocks. */
typedef struct linker {
    wr_group *group;
    wr_group_link *x, *external;
    int *first, *link_of;
} linker;

static void link_port(linker *l, int k, int first, int n)
{
    wr_group *const group = l->group;
    wr_group_ports *const ports = &group->values->ports;
    int start = 0;
    const place where = group->values->du ? PLACE_NONE : find_place(group, first, n, &start);
    l->first[k] = first;
    ports->at[k] = group->values->u + first;
    if (where == PLACE_NONE)
        return;
    for (int i = first; i < first + n; i++)
        l->link_of[i] = k;
    if (where == PLACE_STATES)
        l->x[ports->n_x++] = (wr_group_link){&ports->at[k], start};
    else if (where == PLACE_EXTERNAL)
        l->external[ports->n_external++] = (wr_group_link){&ports->at[k], start};
    else
        ports->at[k] = group->values->y + start;
}

static void fill_up(wr_group_link *link, int *n)
{
    for (; *n % WR_LINKS != 0; ++*n)
        link[*n] = link[*n - 1];
}

int wr_group_ports_place(wr_arena *arena, wr_group *group)
{
    wr_group_values *const values = group->values;
    int n_rhs_call;
    (void)wr_group_rhs_calls(group, &n_rhs_call);
    wr_group_ports *const ports = &values->ports;
    for (int c = 0; c < group->n_component; c++)
        ports->n += group->component[c]->n_port;
    const int before = wr_arena_cold(arena, 1);
    linker l = {.group = group,
                .first = WR_NEW_ARRAY(arena, int, ports->n),
                .link_of = WR_NEW_ARRAY(arena, int, group->n_u)};
    wr_arena_cold(arena, 0);
    l.x = WR_NEW_ARRAY(arena, wr_group_link, n_rhs_call + ports->n + WR_LINKS);
    l.external = WR_NEW_ARRAY(arena, wr_group_link, ports->n + WR_LINKS);
    ports->at = WR_NEW_ARRAY(arena, const double *, ports->n);
    wr_arena_cold(arena, before);
    if (!l.first || !l.link_of || !l.x || !l.external || !ports->at)
        return -1;
    for (int u = 0; u < group->n_u; u++)
        l.link_of[u] = -1;
    int n;
    const wr_call *const call = wr_group_rhs_calls(l.group, &n);
    for (int i = 0; i < n; i++)
        l.x[values->ports.n_x++] = (wr_group_link){&call[i].point->x, call[i].start};
    for (int c = 0, k = 0; c < group->n_component; c++) {
        const wr_component *const component = group->component[c];
        values->caller[c].point.port = ports->at + k;
        for (int i = 0; i < component->n_port; i++)
            link_port(&l, k++, group->u_start[c] + component->port[i].first, component->port[i].n);
    }
    fill_up(l.x, &ports->n_x);
    fill_up(l.external, &ports->n_external);
    ports->x = l.x;
    ports->external = l.external;
    ports->first = l.first;
    ports->link_of = l.link_of;
    return 0;
}

double wr_group_input(const wr_group *group, int i_input)
{
    const wr_group_ports *const ports = &group->values->ports;
    const int k = ports->link_of[i_input];
    return k < 0 ? group->values->u[i_input] : ports->at[k][i_input - ports->first[k]];
}
