/* Finds models that change the floating-point mode (base/fp_mode.h). See group.h.
 *
 * If a callback changed rounding, exception masks or the treatment of denormals, the results of other models would depend on the calling
 * worker. The group checks rare calls one by one (calling.h), and frequent calls once per step. After a change the group calls output(),
 * rhs(), indicator() and algebra() of each component again, to find the component.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include "subsystems/group/group.h"

#include "base/fp_mode.h"
#include "subsystems/group/group_plan.h"

#define LEFT                                                                                       \
    "() changes the floating-point mode (rounding, traps or denormals); restore the mode before "  \
    "the function returns"
static const char *const texts[] = {[WRSIM_OUTPUT] = "its output" LEFT,
                                    [WRSIM_STATE] = "its rhs" LEFT,
                                    [WRSIM_INDICATOR] = "its indicator" LEFT,
                                    [WRSIM_KIND_COUNT] = "its algebra" LEFT};

/* Calls one callback of component c at the prepared point, and drops the results. Returns 1 if the callback changes the mode. */
static int changes_mode(wr_group *group, int c, wrsim_kind kind, double *ret_value)
{
    wr_caller *const caller = wr_group_caller(group, c);
    const wrsim_model *const model = caller->model;
    int (*const callback)(wrsim_instance *, const wrsim_point *, double *) =
        kind == WRSIM_OUTPUT      ? model->output
        : kind == WRSIM_STATE     ? model->rhs
        : kind == WRSIM_INDICATOR ? model->indicator
                                  : model->algebra;
    if (!callback || !ret_value)
        return 0;
    (void)callback(&caller->instance, &caller->point, ret_value);
    caller->instance.message = NULL;
    const int is_changed = wr_fp_mode_differs(group->fp_mode);
    wr_fp_mode_restore(group->fp_mode);
    return is_changed;
}

int wr_group_keeps_mode(wr_group *group, const wr_group_point *point, double *scratch_x,
                        double *scratch_z)
{
    if (!wr_fp_mode_differs(group->fp_mode))
        return 1;
    const wr_fp_mode found = wr_fp_mode_set(group->fp_mode);
    if (wr_group_prepare(group, wr_group_rhs_plan(group), point) != 0)
        group->fault = (wr_fault){0};
    wr_fp_mode_restore(group->fp_mode);
    for (int c = 0; c < group->n_component; c++) {
        double *const w = wr_group_w(group) ? wr_group_w(group) + group->w_start[c] : NULL;
        const struct {
            wrsim_kind kind;
            double *to;
        } call[] = {{WRSIM_KIND_COUNT, w},
                    {WRSIM_OUTPUT, wr_group_scratch(group)},
                    {WRSIM_STATE, scratch_x},
                    {WRSIM_INDICATOR, scratch_z}};
        for (int i = 0; i < 4; i++)
            if (changes_mode(group, c, call[i].kind, call[i].to)) {
                wr_group_forget(group);
                group->fault = (wr_fault){.status = WRSIM_E_CALLBACK,
                                          .t_s = point->t_s,
                                          .i_component = c,
                                          .kind = WRSIM_KIND_COUNT,
                                          .i_variable = -1,
                                          .message = texts[call[i].kind]};
                return 0;
            }
    }
    wr_group_forget(group);
    group->fp_mode = found; /* no model has changed the mode, so the caller has changed the mode */
    wr_fp_mode_restore(found);
    return 1;
}
