/* ROS34PW2: a Rosenbrock-W method of order 3(2), L-stable and stiffly accurate (Rang, Angermann,
 * "New Rosenbrock W-methods of order 3 for partial differential algebraic equations of index 1",
 * BIT 45 (2005)), in the transformed form of Hairer, Wanner, "Solving ODEs II", IV.7, eq. 7.25:
 *
 *     (I / (h gamma) - A) u_i = f(t + alpha_i h, x0 + sum a_ij u_j) + sum c_ij / h u_j
 *                               + gamma_i h g,      i = 1..4
 *     x1 = x0 + sum m_i u_i,   error = sum e_i u_i
 *
 * A W-method has its order for any A and g. With A near df/dx and g near df/dt the method is stable, and its error is small. So the
 * Jacobian stays the same over events, windows and up to OLDEST steps. A rejected step, or a step that shows that the Jacobian has aged,
 * ends the use of the Jacobian earlier. The factors stay the same until the step size leaves a band. With the factors of
 * I / (h0 gamma) - J, a step of h has A = h0 / h J. At first g is a difference at every step. After ZEROS successive zero values g is 0,
 * and the method evaluates g only in the first step with a Jacobian.
 *
 * Dense output is cubic Hermite. The slopes are first the slopes of the continuous extension of order 2 in PETSc's TSRA34PW2. The method
 * then moves each slope towards f by (I - h gamma A)^-1 (f - slope). In states that are not stiff the slope is then f, which gives
 * order 3. In stiff states f is an amplified error of x, which the matrix damps.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/jac_color.h"
#include "subsystems/solvers/one_step.h"
#include "subsystems/solvers/rosenbrock.h"
#include "subsystems/solvers/shifted_matrix.h"

#include <math.h>
#include <string.h>

enum { N_STAGE = 4 };

/* Coefficients alpha_ij, gamma_ij, b and b^ of the paper, times the inverse of (gamma_ij). */
static const double GAMMA = 0.435866521508459;
static const double ALPHA[N_STAGE] = {0.0, 0.871733043016918, 0.7315799577888524, 1.0};
static const double GAMMA_I[N_STAGE] = {0.435866521508459, -0.435866521508459, -0.4133333762338865,
                                        0.0};
static const double A[N_STAGE][N_STAGE - 1] = {
    {0.0},
    {2.0},
    {1.4192173174557647, -0.2592322116729697},
    {4.18476048231916, -0.28519201735549593, 2.294280360279042},
};
static const double C[N_STAGE][N_STAGE - 1] = {
    {0.0},
    {-4.588560720558084},
    {-4.18476048231916, 0.28519201735549593},
    {-6.368179200128358, -6.795620944466837, 2.870098604331056},
};
static const double E[N_STAGE] = {0.27774994764796723, -1.4032398951759988, 1.7726301276675507,
                                  0.5};
/* h times the slope of the continuous extension at both ends. */
static const double SLOPE[2][N_STAGE] = {
    {0.832659023154385, -1.461621337124655, 0.0, -2.398120075195581},
    {6.368179200128373, 6.795620944466845, -2.870098604331056, 2.294280360279042},
};

/* OLDEST: most steps with one Jacobian. ZEROS: successive zero values of g after which g counts as zero. Both are assumed. */
enum { OLDEST = 20, ZEROS = 3 };
/* A Jacobian has aged if its error explains a larger share of a step than AGED (misfit(); assumed). */
static const double AGED = 0.02;
/* Bounds of the step sizes that use kept factors, relative to the step size of their factorisation (assumed). */
static const double BAND_LOW = 0.9, BAND_HIGH = 1.2;

/* Saved data that the vectors do not contain. */
typedef struct linearisation {
    int i_jacobian;  /* index of the current Jacobian; -1: none */
    double factor_s; /* step size of the factors, s; 0: none */
    int age;         /* number of steps with this Jacobian */
    int is_due;      /* a new Jacobian is due before the next step */
    int n_zero;      /* number of successive zero values of g */
} linearisation;

typedef struct wr_rosenbrock_w {
    wr_one_step base;
    wr_jac_color *jac;
    wr_shifted shifted;
    linearisation now, saved;
    double *jacobian[2]; /* [n_nonzero] the current Jacobian, and the Jacobian of the last save() */
    int i_factored;      /* index of the Jacobian of the factors in shifted; -1: none */
    double factored_s;   /* step size of the factors in shifted, s */
    double *g;           /* [n_x] df/dt */
    double *u[N_STAGE], *x1, *f1; /* [n_x] */
    double *slope[2];             /* [n_x] */
    double *work;                 /* [n_x] */
    int has_g;                    /* g of the present step is valid */
} wr_rosenbrock_w;

static wr_rosenbrock_w *self_of(wr_integrator *integrator)
{
    return (wr_rosenbrock_w *)(void *)integrator;
}

static void destroy(wr_integrator *integrator)
{
    if (integrator)
        wr_shifted_done(&self_of(integrator)->shifted);
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    const size_t n = (size_t)ode->n_x;
    wr_rosenbrock_w *const self = WR_NEW(arena, wr_rosenbrock_w);
    if (!self)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options, WR_DENSE_POLY_CUBIC, 0));
    wr_step_control_init(&self->base.control, ode, options, 3.0, 0.0);
    self->jac = wr_jac_color_place(arena, ode);
    self->jacobian[0] = WR_NEW_ARRAY(arena, double, ode->pattern->n_nonzero);
    self->jacobian[1] = WR_NEW_ARRAY(arena, double, ode->pattern->n_nonzero);
    double *vector = WR_NEW_ARRAY(arena, double, n *(N_STAGE + 6));
    if (!self->jac || !self->jacobian[0] || !self->jacobian[1] || !vector)
        return WRSIM_E_MEMORY;
    double **const vectors[] = {&self->u[0],     &self->u[1], &self->u[2], &self->u[3],
                                &self->g,        &self->x1,   &self->f1,   &self->slope[0],
                                &self->slope[1], &self->work};
    for (size_t i = 0; i < WR_COUNT_OF(vectors); i++, vector += n)
        *vectors[i] = vector;
    self->now.i_jacobian = self->saved.i_jacobian = self->i_factored = -1;
    WR_TRY(wr_shifted_place(&self->shifted, arena, ode->pattern, options->linear_solver));
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* Evaluates the Jacobian at the start of the step, into the array without the Jacobian of the last save(). */
static int renew(wr_rosenbrock_w *self)
{
    wr_one_step *const base = &self->base;
    const int i = self->saved.i_jacobian == 0;
    self->now.i_jacobian = -1;
    self->now.age = 0;
    if (self->i_factored == i)
        self->i_factored = -1;
    const int code = wr_jac_color_eval(self->jac, &base->stats, base->control.t_s, base->x, base->f,
                                       self->jacobian[i]);
    if (code != 0)
        return code;
    if (!wr_step_control_is_finite(base->ode->pattern->n_nonzero, self->jacobian[i]))
        return 1;
    self->now.i_jacobian = i;
    self->now.factor_s = 0.0;
    self->now.is_due = 0;
    return 0;
}

/* Sets g to df/dt at the start of the step, or to 0 after ZEROS successive zero values if the Jacobian is not new. */
static int differ_in_time(wr_rosenbrock_w *self, double h_s)
{
    const int n = self->base.n_x;
    linearisation *const now = &self->now;
    self->has_g = 1;
    if (now->n_zero >= ZEROS && now->age > 0) {
        memset(self->g, 0, (size_t)n * sizeof *self->g);
        return 0;
    }
    const int code = wr_one_step_differ_in_time(&self->base, h_s, self->g);
    if (code != 0)
        return code;
    int is_zero = 1;
    for (int i = 0; i < n; i++)
        is_zero &= !(fabs(self->g[i]) > 0.0);
    now->n_zero = is_zero ? now->n_zero + 1 : 0;
    return 0;
}

/* Makes the factors valid for a step of h. Returns 0, or 1 if no accurate factors exist. */
static int factor(wr_rosenbrock_w *self, double h_s)
{
    linearisation *const now = &self->now;
    if (!(h_s >= BAND_LOW * now->factor_s && h_s <= BAND_HIGH * now->factor_s)) {
        now->factor_s = h_s;
        self->base.stats.n_refit++;
    }
    const int is_same_step =
        !(self->factored_s < now->factor_s || self->factored_s > now->factor_s);
    if (self->i_factored == now->i_jacobian && is_same_step)
        return 0;
    self->i_factored = -1;
    if (wr_shifted_factor(&self->shifted, &self->base.stats, 1.0 / (now->factor_s * GAMMA),
                          self->jacobian[now->i_jacobian]) != 0)
        return 1;
    self->i_factored = now->i_jacobian;
    self->factored_s = now->factor_s;
    return 0;
}

/* Sets v = (I - h gamma A)^-1 v, which is the same for any h. */
static void damp(wr_rosenbrock_w *self, double *v)
{
    wr_shifted_solve(&self->shifted, v);
    self->base.stats.n_solve++;
    const double scale = 1.0 / (GAMMA * self->factored_s);
    for (int i = 0; i < self->base.n_x; i++)
        v[i] *= scale;
}

/* Replaces u[stage], which is f at the stage, by the solution of the stage's equation. */
static void solve_stage(wr_rosenbrock_w *self, int stage, double h_s)
{
    double *const u = self->u[stage];
    const int n = self->base.n_x;
    wr_rosenbrock_add(n, u, 1.0 / h_s, stage, C[stage], self->u);
    const double gamma_s = GAMMA_I[stage] * h_s;
    for (int i = 0; i < n; i++)
        u[i] = (u[i] + gamma_s * self->g[i]) * (h_s * GAMMA);
    damp(self, u);
}

/* Sets ret = sum of weight_j u_j. */
static void combine(const wr_rosenbrock_w *self, const double *weight, int n_term, double *ret)
{
    for (int i = 0; i < self->base.n_x; i++) {
        double sum = 0.0;
        for (int j = 0; j < n_term; j++)
            sum += weight[j] * self->u[j][i];
        ret[i] = sum;
    }
}

/* Makes the step with the current linearisation. Evaluates f1 if the error is at most 1 tolerance. */
static int attempt(wr_rosenbrock_w *self, double t_new_s, double h_s, double *ret_error)
{
    wr_one_step *const base = &self->base;
    const int n = base->n_x;
    if (factor(self, h_s) != 0)
        return 1;
    memcpy(self->u[0], base->f, (size_t)n * sizeof *base->f);
    solve_stage(self, 0, h_s);
    for (int stage = 1; stage < N_STAGE; stage++) {
        combine(self, A[stage], stage, self->x1);
        for (int i = 0; i < n; i++)
            self->x1[i] += base->x[i];
        const double t_s = ALPHA[stage] < 1.0 ? base->control.t_s + ALPHA[stage] * h_s : t_new_s;
        const int code = wr_one_step_rhs(base, t_s, self->x1, self->u[stage]);
        if (code != 0)
            return code;
        solve_stage(self, stage, h_s);
    }
    /* The method is stiffly accurate: x1 is the point of the last stage plus the last u. */
    for (int i = 0; i < n; i++)
        self->x1[i] += self->u[N_STAGE - 1][i];
    combine(self, E, N_STAGE, self->work);
    *ret_error = wr_one_step_error(base, t_new_s, self->work, self->x1);
    if (!(*ret_error <= 1.0))
        return 0;
    const int code = wr_one_step_rhs(base, t_new_s, self->x1, self->f1);
    if (code == 0 && !wr_step_control_is_finite(n, self->f1))
        *ret_error = (double)NAN;
    return code;
}

static int trial(void *context, double t_new_s, double h_s, double *ret_error)
{
    wr_rosenbrock_w *const self = context;
    linearisation *const now = &self->now;
    int code = 0;
    if (now->i_jacobian < 0 || now->is_due)
        code = renew(self);
    if (code == 0 && !self->has_g)
        code = differ_in_time(self, h_s);
    if (code == 0)
        code = attempt(self, t_new_s, h_s, ret_error);
    /* An old Jacobian may be the cause of a rejected step. */
    if (now->age == 0 || code < 0 || (code == 0 && *ret_error <= 1.0))
        return code;
    code = renew(self);
    return code != 0 ? code : attempt(self, t_new_s, h_s, ret_error);
}

/* Returns the share of the step dx that the error of the Jacobian explains: (I / (h gamma) - A)^-1 (f1 - f0 - J dx - h g) over dx, both in
 * tolerances. dx counts as 1 tolerance at least. */
static double misfit(wr_rosenbrock_w *self, double h_s)
{
    const wr_one_step *const base = &self->base;
    const wr_matrix *const pattern = base->ode->pattern;
    const double *const jacobian = self->jacobian[self->now.i_jacobian];
    double *const r = self->work, *const dx = self->u[0];
    const int n = base->n_x;
    for (int i = 0; i < n; i++) {
        dx[i] = self->x1[i] - base->x[i];
        r[i] = self->f1[i] - base->f[i] - h_s * self->g[i];
    }
    for (int j = 0; j < n; j++)
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            r[pattern->row[i]] -= jacobian[i] * dx[j];
    damp(self, r);
    for (int i = 0; i < n; i++)
        r[i] *= GAMMA * h_s;
    return wr_step_control_norm(&base->control, r, base->x, self->x1) /
           wr_max(1.0, wr_step_control_norm(&base->control, dx, base->x, self->x1));
}

/* Finds the slopes of the dense output at both ends (see the head of this file). */
static void find_slopes(wr_rosenbrock_w *self, double h_s)
{
    const double *const f[2] = {self->base.f, self->f1};
    for (int k = 0; k < 2; k++) {
        double *const slope = self->slope[k];
        combine(self, SLOPE[k], N_STAGE, self->work);
        for (int i = 0; i < self->base.n_x; i++) {
            self->work[i] /= h_s;
            slope[i] = f[k][i] - self->work[i];
        }
        damp(self, slope);
        for (int i = 0; i < self->base.n_x; i++)
            slope[i] += self->work[i];
    }
}

static void accept(wr_rosenbrock_w *self, double t0_s)
{
    wr_one_step *const base = &self->base;
    const size_t bytes = (size_t)base->n_x * sizeof *base->x;
    const double t1_s = base->control.t_s, h_s = t1_s - t0_s;
    find_slopes(self, h_s);
    const double part = misfit(self, h_s);
    self->now.age++;
    self->now.is_due = self->now.age >= OLDEST || !(part <= AGED);
    wr_dense_poly_hermite(&base->dense, t0_s, base->x, self->slope[0], t1_s, self->x1,
                          self->slope[1]);
    memcpy(base->x, self->x1, bytes);
    memcpy(base->f, self->f1, bytes);
    base->has_f = 1;
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_rosenbrock_w *const self = self_of(integrator);
    wr_one_step *const base = &self->base;
    const double t0_s = base->control.t_s;
    if (!wr_step_control_is_there(t0_s, t_stop_s)) {
        self->has_g = 0;
        /* Workspace of 2 n_x doubles: the first two stages, which are contiguous. */
        WR_TRY(wr_one_step_run(base, trial, self, t_stop_s, self->u[0]));
        accept(self, t0_s);
    }
    *ret_t_s = base->control.t_s;
    return 0;
}

static void damp_last(wr_integrator *integrator, double *v) { damp(self_of(integrator), v); }

void wr_rosenbrock_w_forget(wr_integrator *integrator)
{
    self_of(integrator)->now = (linearisation){.i_jacobian = -1};
}

static void save(wr_integrator *integrator)
{
    self_of(integrator)->saved = self_of(integrator)->now;
    wr_one_step_save(integrator);
}

static void restore(wr_integrator *integrator)
{
    self_of(integrator)->now = self_of(integrator)->saved;
    wr_one_step_restore(integrator);
}

static void linearisation_state(linearisation *at, wr_state_io *io)
{
    wr_state_index(io, &at->i_jacobian, 2);
    WR_STATE(io, at->factor_s);
    WR_STATE(io, at->age);
    WR_STATE(io, at->is_due);
    WR_STATE(io, at->n_zero);
}

/* Reads or writes the state. After reading, makes the factors from their Jacobian, without counting, because the writing instance has
 * counted these factors. The choice of a method depends on counted work (integ_auto.c). */
static void state(wr_integrator *integrator, wr_state_io *io)
{
    wr_rosenbrock_w *const self = self_of(integrator);
    wr_one_step_state(integrator, io);
    linearisation_state(&self->now, io);
    linearisation_state(&self->saved, io);
    for (int i = 0; i < 2; i++)
        WR_STATE_ARRAY(io, self->jacobian[i], self->base.ode->pattern->n_nonzero);
    wr_state_index(io, &self->i_factored, 2);
    WR_STATE(io, self->factored_s);
    wr_integ_stats uncounted = {0};
    if (wr_state_reads(io) && self->i_factored >= 0 &&
        wr_shifted_factor(&self->shifted, &uncounted, 1.0 / (self->factored_s * GAMMA),
                          self->jacobian[self->i_factored]) != 0)
        self->i_factored = -1; /* unexpected: the writer has made these factors */
}

const wr_integrator_ops wr_integ_rosenbrock_w = {
    .name = "rosenbrock_w",
    .help = "Rosenbrock-W method ROS34PW2 with a kept Jacobian, order 3(2)",
    .order = 3,
    .dense_order = 3,
    .loosest_rtol = 1e-4,
    .flags = WR_INTEG_STIFF | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F,
    .place = place,
    .destroy = destroy,
    .step = step,
    .damp = damp_last,
    .save = save,
    .restore = restore,
    .state = state,
    .limit = wr_one_step_limit,
    WR_ONE_STEP_OPS,
};
