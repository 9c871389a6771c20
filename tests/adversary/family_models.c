/* Kernels of the families (families.py): switches with feedback, bodies in contact, rates with pulses in time, flows between levels, and
 * sources with a known solution. adversary_shell.h makes models of the kernels.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include "adversary_shell.h"

/* ---- Switches with two inputs: a source, and a feedback of the switch's own output */

/* A comparator: on while the weighted sum of both inputs is above a level. The model counts how often the comparator switches on. */
static const wrsim_variable comparator_params[] = {COMMON, P("level", "threshold", 0.3),
                                                   P("k", "of input 1", 1.0)};
ON_OUTPUT(switch_output)
{
    y[0] = 2.0 * at->d[0] - 1.0;
    y[1] = at->d[1];
}
static void comparator_indicator(const point *at, double *z)
{
    z[0] = at->v[0] + at->p[1] * at->v[1] - at->p[0];
}
ON_EVENT(comparator_event)
{
    if (what->fired[0] > 0) {
        d[0] = 1.0;
        d[1] = at->d[1] + 1.0;
    } else if (what->fired[0] < 0) {
        d[0] = 0.0;
    }
}
static const kernel comparator = {SIZES(0, 2, 2, 2, 1),
                                  Y_IS(".."),
                                  Z_WAY("b"),
                                  U_Y(".. .."),
                                  U_Z("xx"),
                                  Z_D("x x"),
                                  D_Z(".."),
                                  OUTPUT(switch_output),
                                  INDICATOR(comparator_indicator),
                                  EVENT(comparator_event)};

/* A relay with hysteresis on the sum of both inputs. The model counts the switching in both directions. */
static const wrsim_variable holder_params[] = {COMMON, P("low", "switches off below", -0.3),
                                               P("high", "switches on above", 0.3),
                                               P("k", "of input 1", 1.0)};
static void holder_indicator(const point *at, double *z)
{
    const double v = at->v[0] + at->p[2] * at->v[1];
    z[0] = v - at->p[0];
    z[1] = v - at->p[1];
}
ON_EVENT(holder_event)
{
    const double on = what->fired[1] > 0 ? 1.0 : what->fired[0] < 0 ? 0.0 : at->d[0];
    d[1] = at->d[1] + (fabs(on - at->d[0]) > 0.5);
    d[0] = on;
}
static const kernel holder = {SIZES(0, 2, 2, 2, 2),
                              Y_IS(".."),
                              Z_WAY("fr"),
                              U_Y(".. .."),
                              U_Z("xx xx"),
                              Z_D("xx xx"),
                              D_Z(".. .."),
                              OUTPUT(switch_output),
                              INDICATOR(holder_indicator),
                              EVENT(holder_event)};

/* Counts how often the sum of both inputs rises through a level. Output 0 is 1 if the count is odd. */
ON_OUTPUT(parity_output)
{
    y[0] = fmod(at->d[0], 2.0);
    y[1] = at->d[0];
}
ON_EVENT(parity_event) { d[0] = at->d[0] + (what->fired[0] > 0); }
static const kernel parity = {SIZES(0, 1, 2, 2, 1),
                              Y_IS(".."),
                              Z_WAY("r"),
                              U_Y(".. .."),
                              U_Z("xx"),
                              Z_D("x"),
                              D_Z("."),
                              OUTPUT(parity_output),
                              INDICATOR(comparator_indicator),
                              EVENT(parity_event)};

/* ---- Bodies in contact: each finds the contact by itself and has the mass of the other body as a parameter */

#define BODY_PARAMS                                                                                \
    COMMON, P("w", "angular frequency", 3.0), P("x0", "start", 0.0),                               \
        P("x1", "speed at the start", 0.0), P("rest", "where the force is 0", 0.0),                \
        P("pendulum", "1 = the force is a sine", 1.0), P("m", "mass", 1.0),                        \
        P("ml", "mass to the left, 0 = none", 0.0), P("mr", "mass to the right, 0 = none", 0.0),   \
        P("e", "restitution", 1.0)
static const wrsim_variable bead_params[] = {BODY_PARAMS};
enum { B_W, B_X, B_V, B_REST, B_PENDULUM, B_M, B_ML, B_MR, B_E };
enum { U_XL, U_VL, U_XR, U_VR };
ON_START(bead_start)
{
    x[0] = p[B_X];
    x[1] = p[B_V];
}
static void bead_rhs(const point *at, double *dx)
{
    const double *const p = at->p;
    const double off = at->x[0] - p[B_REST];
    dx[0] = at->x[1];
    dx[1] = -p[B_W] * p[B_W] * (p[B_PENDULUM] > 0.5 ? sin(off) : off);
}
ON_OUTPUT(bead_output)
{
    y[0] = at->x[0];
    y[1] = at->x[1];
    y[2] = at->d[0];
}
static void bead_indicator(const point *at, double *z)
{
    z[0] = at->p[B_ML] > 0.0 ? at->x[0] - at->v[U_XL] : 1.0;
    z[1] = at->p[B_MR] > 0.0 ? at->v[U_XR] - at->x[0] : 1.0;
}
/* Returns the speed of a body of mass m after Newton's impact against a body of mass m_2. */
static double after_impact(double m, double v, double m_2, double v_2, double e)
{
    return (m * v + m_2 * v_2 + m_2 * e * (v_2 - v)) / (m + m_2);
}
ON_EVENT(bead_event)
{
    const double *const p = at->p;
    double v = at->x[1], n = at->d[0];
    if (what->fired[0] < 0) {
        v = after_impact(p[B_M], v, p[B_ML], at->v[U_VL], p[B_E]);
        n += 1.0;
    }
    if (what->fired[1] < 0) {
        v = after_impact(p[B_M], v, p[B_MR], at->v[U_VR], p[B_E]);
        n += 1.0;
    }
    if (n > at->d[0])
        x[1] = v;
    d[0] = n;
}
#define BODY                                                                                       \
    .n_x = 2, .n_d = 1, .n_u = 4, .n_y = 3, .n_z = 2, .y_is = "01.", .z_way = "ff",                \
    .u_y = ".... .... ....", .x_y = "x. .x ..", .x_x = ".x x.", .u_z = "x... ..x.",                \
    .x_z = "x. x.", .z_d = "xx", .d_x = ". .", .d_z = ". .", .start = bead_start,                  \
    .output = bead_output
static const kernel bead = {BODY, .u_x = ".... ....", .rhs = bead_rhs, .indicator = bead_indicator,
                            .event = bead_event};

/* A bead with springs to its neighbours, and with a wall to the left of the first body (ml = 0). */
static const wrsim_variable sprung_params[] = {BODY_PARAMS, P("stiffness", "of the springs", 1.0),
                                               P("wall", "position of a wall to the left", -10.0)};
enum { B_STIFFNESS = B_E + 1, B_WALL };
static void sprung_rhs(const point *at, double *dx)
{
    const double *const p = at->p;
    bead_rhs(at, dx);
    if (p[B_ML] > 0.0)
        dx[1] += p[B_STIFFNESS] / p[B_M] * (at->v[U_XL] - at->x[0]);
    if (p[B_MR] > 0.0)
        dx[1] += p[B_STIFFNESS] / p[B_M] * (at->v[U_XR] - at->x[0]);
}
static void sprung_indicator(const point *at, double *z)
{
    bead_indicator(at, z);
    if (!(at->p[B_ML] > 0.0))
        z[0] = at->x[0] - at->p[B_WALL];
}
ON_EVENT(sprung_event)
{
    bead_event(at, what, x, d);
    if (what->fired[0] < 0 && !(at->p[B_ML] > 0.0) && !(what->fired[1] < 0))
        x[1] = -at->p[B_E] * at->x[1];
}
static const kernel sprung = {BODY, .u_x = ".... x.x.", .rhs = sprung_rhs,
                              .indicator = sprung_indicator, .event = sprung_event};

/* ---- Pulses in time: smooth pulses at first + k period, with announced begin and end if declared */

static const wrsim_variable gated_params[] = {
    COMMON,
    P("first", "begin of pulse 0", 0.5),
    P("width", "of a pulse", 0.01),
    P("period", "of the pulses, 0 = one", 0.0),
    P("declared", "1 = begin and end are time events", 0.0),
    P("a", "height", 1.0),
    P("k", "of the input", 0.0),
    P("T", "time constant, 0 = integrator", 0.0),
    P("x0", "start", 0.0)};
enum { G_FIRST, G_WIDTH, G_PERIOD, G_DECLARED, G_A, G_K, G_T, G_X };
static double gate_edge(const double *p, double n)
{
    const double pulse = floor(0.5 * n);
    if (pulse > 0.0 && !(p[G_PERIOD] > 0.0))
        return (double)INFINITY;
    return p[G_FIRST] + pulse * p[G_PERIOD] + (fmod(n, 2.0) > 0.5 ? p[G_WIDTH] : 0.0);
}
static double gate_next(const point *at)
{
    return at->p[G_DECLARED] > 0.5 ? gate_edge(at->p, at->d[0]) : (double)INFINITY;
}
ON_EVENT(edge_event)
{
    if (what->is_time_event)
        d[0] = at->d[0] + 1.0;
}
static double bump(const double *p, double t)
{
    const double since = t - p[G_FIRST];
    const double n = p[G_PERIOD] > 0.0 && since > 0.0 ? floor(since / p[G_PERIOD]) : 0.0;
    const double share = (since - n * p[G_PERIOD]) / p[G_WIDTH];
    if (!(share > 0.0 && share < 1.0))
        return 0.0;
    const double s = sin(3.14159265358979323846 * share);
    return s * s;
}
ON_START(gated_start) { x[0] = p[G_X]; }
static void gated_rhs(const point *at, double *dx)
{
    const double *const p = at->p;
    dx[0] = p[G_A] * bump(p, at->t_s) * (1.0 + p[G_K] * at->v[0]);
    if (p[G_T] > 0.0)
        dx[0] -= at->x[0] / p[G_T];
}
static const kernel gated = {SIZES(1, 1, 1, 1, 0),
                             Y_IS("0"),
                             U_Y("."),
                             X_Y("x"),
                             U_X("x"),
                             X_X("x"),
                             START(gated_start),
                             RATES(gated_rhs),
                             OUTPUT(wr_shell_first_state),
                             EVENT(edge_event),
                             NEXT_TIME(gate_next)};

/* The pulses as an output, without states. */
ON_OUTPUT(pulses_output) { y[0] = at->p[G_A] * bump(at->p, at->t_s); }
static const kernel pulses = {SIZES(0, 1, 0, 1, 0), Y_IS("."), OUTPUT(pulses_output),
                              EVENT(edge_event), NEXT_TIME(gate_next)};

/* ---- Flows between levels: proportional to the square root of a difference, linear near 0 */

static double flow_of(double difference, double linear)
{
    const double size = fabs(difference);
    return size > 0.0 ? difference / sqrt(size + linear) : 0.0;
}
static const wrsim_variable tank_params[] = {COMMON,
                                             P("c", "of the flow", 1.0),
                                             P("x0", "level at the start", 1.0),
                                             P("k", "of input 1", 0.0),
                                             P("linear", "size of what is linear", 0.0),
                                             P("drain", "of the outflow", 0.0)};
ON_START(tank_start) { x[0] = p[1]; }
static void tank_rhs(const point *at, double *dx)
{
    const double *const p = at->p;
    dx[0] = p[0] * flow_of(at->v[0] - at->x[0], p[3]) + p[2] * at->v[1];
    if (p[4] > 0.0)
        dx[0] -= p[4] * flow_of(at->x[0], p[3]);
}
static const kernel tank = {SIZES(1, 0, 2, 1, 0),
                            Y_IS("0"),
                            U_Y(".."),
                            X_Y("x"),
                            U_X("xx"),
                            X_X("x"),
                            START(tank_start),
                            RATES(tank_rhs),
                            OUTPUT(wr_shell_first_state)};

/* The flow between two levels, without states. */
static const wrsim_variable pipe_params[] = {COMMON, P("c", "of the flow", 1.0),
                                             P("linear", "size of what is linear", 0.0)};
ON_OUTPUT(pipe_output) { y[0] = at->p[0] * flow_of(at->v[0] - at->v[1], at->p[1]); }
static const kernel pipe_flow = {
    .n_u = 2, .n_y = 1, .y_is = ".", .u_y = "xx", .output = pipe_output};

/* A tank that two flows fill and empty. */
static const wrsim_variable basin_params[] = {COMMON, P("a", "of input 0", 1.0),
                                              P("b", "of input 1", 1.0),
                                              P("x0", "level at the start", 1.0)};
ON_START(basin_start) { x[0] = p[2]; }
static void basin_rhs(const point *at, double *dx)
{
    dx[0] = at->p[0] * at->v[0] + at->p[1] * at->v[1];
}
static const kernel basin = {SIZES(1, 0, 2, 1, 0),
                             Y_IS("0"),
                             U_Y(".."),
                             X_Y("x"),
                             U_X("xx"),
                             X_X("."),
                             START(basin_start),
                             RATES(basin_rhs),
                             OUTPUT(wr_shell_first_state)};

/* ---- Sources with a known solution */

static const wrsim_variable line_params[] = {COMMON, P("a", "at t = 0", 0.0), P("b", "slope", 0.0)};
ON_OUTPUT(line_output) { y[0] = at->p[0] + at->p[1] * at->t_s; }
static const kernel line = {SIZES(0, 0, 0, 1, 0), Y_IS("."), OUTPUT(line_output)};

/* All models of this file, with kernel and parameters. */
#define MODELS(X)                                                                                  \
    X(comparator, comparator_params)                                                               \
    X(holder, holder_params)                                                                       \
    X(parity, comparator_params)                                                                   \
    X(bead, bead_params)                                                                           \
    X(sprung, sprung_params)                                                                       \
    X(gated, gated_params)                                                                         \
    X(pulses, gated_params)                                                                        \
    X(tank, tank_params)                                                                           \
    X(pipe_flow, pipe_params)                                                                      \
    X(basin, basin_params)                                                                         \
    X(line, line_params)
MODELS(DEFINE_MODEL)

extern const wrsim_model *const wr_family_models[];
const wrsim_model *const wr_family_models[] = {MODELS(LIST_MODEL) NULL};
