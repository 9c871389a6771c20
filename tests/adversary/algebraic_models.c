/* Models of daes.py: one hybrid system as a DAE of index 1 with a mass matrix, and as the equivalent ODE.
 *
 *     s' = -a s + k p + m u      p = b (1 + d) s + c u      q + g q^3 = p
 *
 * The system has one state s, two algebraic variables p and q, two inputs with the sum u, and the outputs s, p, q. When s rises through
 * `level`, d toggles between 0 and 1, and s falls by `back`.
 *
 * adversary.dae has the states x = T (s, p, q) and L x' = f with L = P diag(1, 0, 0) T^-1, f = P (...). T and P are lower triangular with a
 * unit diagonal. The parameters t21 ... and p21 ... below the diagonal make every matrix nondiagonal. Events of adversary.dae leave wrong
 * values in the algebraic variables. adversary.ode solves the equations for p and q itself.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <math.h>
#include <stddef.h>

#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

enum { A, K, M, B, C, G, LEVEL, BACK, S0, T21, T31, T32, P21, P31, P32, AS_STATE, N_PARAM };
#define PARAM(index, symbol, value)                                                                \
    [index] = {.name = symbol, .description = "as in the equations", .start = value}
static const wrsim_variable params[N_PARAM] = {
    PARAM(A, "a", 1.0),       PARAM(K, "k", 0.5),
    PARAM(M, "m", 0.5),       PARAM(B, "b", 0.5),
    PARAM(C, "c", 0.3),       PARAM(G, "g", 0.3),
    PARAM(LEVEL, "level", 9), PARAM(BACK, "back", 0.5),
    PARAM(S0, "s0", 0.0),     PARAM(T21, "t21", 0.0),
    PARAM(T31, "t31", 0.0),   PARAM(T32, "t32", 0.0),
    PARAM(P21, "p21", 0.0),   PARAM(P31, "p31", 0.0),
    PARAM(P32, "p32", 0.0),   PARAM(AS_STATE, "y0_is_state", 0.0)};

/* The next two functions convert the states x to v = (s, p, q), and back. */
static void unfold(const double *p, const double *x, double *v)
{
    v[0] = x[0];
    v[1] = x[1] - p[T21] * v[0];
    v[2] = x[2] - p[T31] * v[0] - p[T32] * v[1];
}

static void fold(const double *p, const double *v, double *x)
{
    x[0] = v[0];
    x[1] = p[T21] * v[0] + v[1];
    x[2] = p[T31] * v[0] + p[T32] * v[1] + v[2];
}

static double explicit_p(const double *p, double s, double d, double u)
{
    return p[B] * (1.0 + d) * s + p[C] * u;
}

/* Returns the only zero of q + g q^3 - p. Newton's method converges monotonically from q = p, which is beyond the zero. */
static double explicit_q(double g, double p)
{
    double q = p;
    for (int i = 0; i < 100; i++) {
        const double by = (q + g * q * q * q - p) / (1.0 + 3.0 * g * q * q);
        q -= by;
        if (fabs(by) <= 1e-17)
            break;
    }
    return q;
}

static int describe_common(wrsim_description *to)
{
    static const wrsim_variable input[] = {{.name = "u0", .nominal = 1.0},
                                           {.name = "u1", .nominal = 1.0}};
    static const wrsim_variable d = {.name = "d0"};
    static const wrsim_variable z = {.name = "z0", .nominal = 1.0, .flags = WRSIM_RISING_ONLY};
    return to->add(to, WRSIM_INPUT, &input[0]) | to->add(to, WRSIM_INPUT, &input[1]) |
           to->add(to, WRSIM_DISCRETE, &d) | to->add(to, WRSIM_INDICATOR, &z);
}

static int describe_dae(wrsim_instance *self, wrsim_description *to)
{
    static const char *const name[] = {"x0", "x1", "x2"};
    static const char *const output[] = {"s", "p", "q"};
    const double *const p = self->param;
    int rc = describe_common(to);
    for (int i = 0; i < 3; i++)
        rc |= to->add(to, WRSIM_STATE, &(wrsim_variable){.name = name[i], .nominal = 1.0});
    for (int i = 0; i < 3; i++)
        rc |= to->add(to, WRSIM_OUTPUT,
                      &(wrsim_variable){.name = output[i],
                                        .nominal = 1.0,
                                        .flags = p[AS_STATE] > 0.5 && (i < 1 || p[AS_STATE] > 1.5)
                                                     ? WRSIM_IS_STATE
                                                     : 0,
                                        .index = p[AS_STATE] > 0.5 ? i : 0});
    rc |= to->depends(to, WRSIM_U_Y, -1, -1);
    if (to->struct_size <= offsetof(wrsim_description, mass))
        return -1;
    /* L = P e_1 e_1^T T^-1, and the first row of T^-1 is e_1. */
    const double column[] = {1.0, p[P21], p[P31]};
    for (int i = 0; i < 3; i++)
        rc |= to->mass(to, i, 0, column[i]);
    return rc;
}

static int describe_ode(wrsim_instance *self, wrsim_description *to)
{
    static const char *const output[] = {"s", "p", "q"};
    int rc = describe_common(to);
    rc |= to->add(to, WRSIM_STATE, &(wrsim_variable){.name = "x0", .nominal = 1.0});
    for (int i = 0; i < 3; i++)
        rc |= to->add(to, WRSIM_OUTPUT,
                      &(wrsim_variable){
                          .name = output[i], .nominal = 1.0, .flags = i == 0 ? WRSIM_IS_STATE : 0});
    return rc;
}

INIT(init) { x[0] = self->param[S0]; }

static int rhs_dae(wrsim_instance *self, const wrsim_point *at, double *ret_f)
{
    const double *const p = self->param;
    const double u = at->u[0] + at->u[1];
    double v[3];
    unfold(p, at->x, v);
    const double s_rate = -p[A] * v[0] + p[K] * v[1] + p[M] * u;
    const double g1 = explicit_p(p, v[0], at->d[0], u) - v[1];
    const double g2 = v[1] - v[2] - p[G] * v[2] * v[2] * v[2];
    ret_f[0] = s_rate;
    ret_f[1] = p[P21] * s_rate + g1;
    ret_f[2] = p[P31] * s_rate + p[P32] * g1 + g2;
    return 0;
}

OUTPUTS(output_dae)
{
    double v[3];
    unfold(self->param, at->x, v);
    if (!(self->param[AS_STATE] > 0.5))
        ret_y[0] = v[0];
    if (!(self->param[AS_STATE] > 1.5)) {
        ret_y[1] = v[1];
        ret_y[2] = v[2];
    }
}

RHS(rhs_ode)
{
    const double *const p = self->param;
    const double u = at->u[0] + at->u[1];
    ret_dx[0] = -p[A] * at->x[0] + p[K] * explicit_p(p, at->x[0], at->d[0], u) + p[M] * u;
}

OUTPUTS(output_ode)
{
    const double *const p = self->param;
    ret_y[1] = explicit_p(p, at->x[0], at->d[0], at->u[0] + at->u[1]);
    ret_y[2] = explicit_q(p[G], ret_y[1]);
}

INDICATORS(indicator) { ret_z[0] = at->x[0] - self->param[LEVEL]; }

static int event_ode(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                     double *x, double *d)
{
    if (what->is_initial || what->fired[0] <= 0)
        return 0;
    d[0] = 1.0 - at->d[0];
    x[0] -= self->param[BACK];
    return 0;
}

static int event_dae(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                     double *x, double *d)
{
    if (what->is_initial || what->fired[0] <= 0)
        return 0;
    double v[3];
    unfold(self->param, x, v);
    d[0] = 1.0 - at->d[0];
    v[0] -= self->param[BACK];
    v[1] = 1.7;
    v[2] -= 2.9;
    fold(self->param, v, x);
    return 0;
}

#define COMMON                                                                                     \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .caps = WRSIM_CAP_RT_SAFE,         \
    .n_param = N_PARAM, .params = params, .init = init, .indicator = indicator
static const wrsim_model dae = {COMMON,
                                .name = "adversary.dae",
                                .description = "of index 1, with a full mass matrix",
                                .describe = describe_dae,
                                .rhs = rhs_dae,
                                .output = output_dae,
                                .event = event_dae};
static const wrsim_model ode = {COMMON,
                                .name = "adversary.ode",
                                .description = "the same, solved inside",
                                .describe = describe_ode,
                                .rhs = rhs_ode,
                                .output = output_ode,
                                .event = event_ode};

PLUGIN(&dae, &ode)
