/* The solver of a subsystem: its equations, the kept entries of the Jacobian (jacobian_pattern_file.h), and generated code for its
 * matrices (lu_object.h).
 *
 * Thread: one at a time. Real-time: callbacks of the ODE, with rt-safe models; placing is setup only.
 */
#include <math.h>

#include "subsystems/group/jacobian_pattern_file.h"
#include "subsystems/model_host/lu_object.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_solver.h"
#include "subsystems/ode/pulse_search.h"
#include "subsystems/solvers/shifted_matrix.h"

/* Returns the point at which an integrator evaluates f, with the inputs at t_s. */
static wr_group_point ode_point(wr_subsystem *s, double t_s, const double *x)
{
    return wr_ode_point_of(s, t_s, x, wr_ode_inputs_at(s, t_s, 0));
}

static int ode_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    wr_subsystem *const s = self;
    const wr_group_point point = ode_point(s, t_s, x);
    return wr_group_rhs(wr_ode_of(s)->group, &point, ret_dx);
}

static int ode_jacobian(void *self, double t_s, const double *x, double *ret_values)
{
    wr_subsystem *const s = self;
    const wr_group_point point = ode_point(s, t_s, x);
    return wr_group_jacobian(wr_ode_of(s)->group, &point, ret_values);
}

/* Evaluates the derivative of f along a direction of states, with constant inputs. */
static int ode_tangent(void *self, double t_s, const double *x, const double *x_change,
                       double *ret_dx)
{
    wr_subsystem *const s = self;
    wr_ode *const work = wr_ode_of(s);
    const wr_fault fault = work->group->fault;
    const wr_group_point point = ode_point(s, t_s, x);
    int rc = wr_group_tangent(work->group, &point, x_change, NULL, ret_dx);
    for (int i = 0; i < work->group->n_x && rc == 0; i++)
        rc = !isfinite(ret_dx[i]);
    work->group->fault = fault; /* the evaluation of f reports a fault */
    return rc;
}

/* Rejects solvers that cannot integrate L x' = f. */
static int check_mass(const wr_ode_config *config, const wr_group *group, wr_diag *diag)
{
    if (!group->mass || !config->integrator || (config->integrator->flags & WR_INTEG_MASS))
        return 0;
    const wr_component *component = config->components[0];
    for (int c = 0; c < config->n_components; c++)
        if (config->components[c]->mass.n > 0)
            component = config->components[c];
    wr_diag_add(diag, WRSIM_E_MODEL, &component->where,
                "component '%s': solver '%s' of subsystem '%s' does not support the mass matrix of "
                "model '%s'; set solver = { kind = \"linimp\", step = ... }",
                component->name, config->integrator->name, config->name, component->model->name);
    return -1;
}

/* Reads the kept pattern and the generated code. Returns 0, or a negative status with the reason in diag. */
static wrsim_status choose_matrix(wr_ode *work, wr_arena *arena, const wr_ode_config *config,
                                  wr_diag *diag, wr_integ_options *options)
{
    if (config->pattern_file) {
        options->kept =
            wr_jacobian_pattern_file_read(arena, work->group, config->pattern_file,
                                          config->options.step_s, &config->where_pattern, diag);
        work->method->kept = options->kept;
        if (!options->kept)
            return WRSIM_E_CONFIG;
    }
    if (config->code_file) {
        options->code = wr_lu_object_open(config->code_file, &config->where_code, diag,
                                          &work->method->code_handle);
        if (!options->code)
            return WRSIM_E_CONFIG;
    }
    return WRSIM_OK;
}

wrsim_status wr_ode_solver_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config,
                                 wr_diag *diag)
{
    wr_ode *const work = wr_ode_of(s);
    if (work->group->n_x == 0)
        return WRSIM_OK;
    if (check_mass(config, work->group, diag) < 0)
        return WRSIM_E_MODEL;
    work->method->ode = (wr_equations){
        .n_x = work->group->n_x,
        .self = s,
        .rhs = ode_rhs,
        .jacobian = wr_group_has_jacobian(work->group) ? ode_jacobian : NULL,
        .tangent = wr_group_has_tangent(work->group, NULL) ? ode_tangent : NULL,
        .pattern = work->group->pattern_xx,
        .mass = work->group->mass,
        .nominal = work->group->nominal_x,
        .tolerance_factor = work->group->tolerance_factor,
        .is_driven = s->n_external > 0,
        .computed_error = wr_ode_plan(s) && wr_group_plan_has_states(work->group, wr_ode_plan(s))
                              ? wr_ode_computed_error
                              : NULL};
    work->solver = config->integrator;
    const unsigned flags = work->solver->flags;
    s->flags |= (flags & WR_INTEG_FIXED_STEP ? 0U : WR_SUBSYSTEM_HAS_TOLERANCE) |
                (flags & WR_INTEG_ROLLBACK ? 0U : WR_SUBSYSTEM_RESTARTS) |
                (work->solver->state ? 0U : WR_SUBSYSTEM_NO_STATE) |
                (work->solver->current || (flags & WR_INTEG_STIFF) ? WR_SUBSYSTEM_NO_KEEP : 0U);
    wr_integ_options options = config->options;
    if (!(flags & (WR_INTEG_FIXED_STEP | WR_INTEG_ROLLBACK)) && wr_ode_is_searched(s))
        options.step_s = options.step_s > 0.0 ? wr_min(options.step_s, wr_ode_look_distance(s))
                                              : wr_ode_look_distance(s);
    if (wr_ode_has_planned_steps(s))
        options.step_s = (double)INFINITY; /* bounded_work.c plans the steps */
    WR_TRY(choose_matrix(work, arena, config, diag, &options));
    const wrsim_status status =
        work->solver->place(arena, &work->method->ode, &options, &work->integrator);
    if (status == WRSIM_E_ARG && options.code)
        return wr_diag_add(diag, WRSIM_E_CONFIG, &config->where_code,
                           "'%s' was generated for another Jacobian; generate the code of "
                           "subsystem '%s' again by wrsim codegen",
                           config->code_file, config->name);
    if (status == WRSIM_E_CONFIG) {
        wrsim_error err;
        const wr_module_id method = config->integrator->module;
        if (method == WR_MODULE_NONE || wr_module_load(method, &err))
            (void)wr_module_load(WR_MODULE_KLU, &err);
        return wr_diag_add(diag, WRSIM_E_CONFIG, NULL, "subsystem '%s': %s", config->name,
                           err.text);
    }
    WR_TRY(status);
    return wr_ode_algebraic_place(s, &work->method->ode, arena);
}

const wr_matrix *wr_ode_kept_pattern(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    return work->method->kept ? work->method->kept : work->group->pattern_xx;
}

void wr_ode_solver_destroy(wr_ode *work)
{
    if (work->integrator && work->solver->destroy)
        work->solver->destroy(work->integrator);
    work->integrator = NULL; /* the arena owns the memory of the integrator */
    wr_lu_object_close(&work->method->code_handle);
}
