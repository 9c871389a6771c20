/* The engine's cylinder as a sample FMU: an adapter to the callbacks of engine.cylinder (models/engine/cylinder.c).
 *
 * The FMU keeps the discrete states and the modes of the indicators, and sets the modes by the signs of the indicators in event mode.
 * States are 0 to 14, inputs begin at CYLINDER_INPUT, outputs that are no states at CYLINDER_OUTPUT and parameters at
 * CYLINDER_PARAMETER. The parameters zones, balance and gas have their defaults, because they change the number of variables.
 */
#include "cylinder.h"

#include <math.h>
#include <string.h>

#include "models/engine/cylinder_variables.h"
#include "models/models.h"
#include "sample.h"

const int sample_n_state = CYL_X_COUNT, sample_n_indicator = CYL_Z_COUNT;

/* sample.own of this model. */
typedef struct cylinder {
    cyl_data data;
    double d[CYL_D_COUNT], w[CYL_WORK_COUNT];
    unsigned char mode[CYL_Z_COUNT];
    unsigned char has_fired[CYL_Z_COUNT]; /* at this event */
    int has_begun;                        /* the initial event has passed */
} cylinder;
_Static_assert(sizeof(cylinder) <= SAMPLE_OWN * sizeof(double), "SAMPLE_OWN is too small");
_Static_assert((int)CYLINDER_INPUT == 2 * SAMPLE_DERIVATIVE &&
                   (int)CYL_X_COUNT <= (int)SAMPLE_DERIVATIVE &&
                   CYLINDER_INPUT + CYL_U_COUNT <= CYLINDER_OUTPUT &&
                   CYLINDER_OUTPUT + CYL_Y_COUNT <= CYLINDER_PARAMETER &&
                   CYLINDER_PARAMETER + CYL_PARAM_COUNT <= SAMPLE_VALUES,
               "value references overlap");

static const wrsim_model *const model = &engine_cylinder_model;

/* A sample, and the arguments of the model's callbacks. */
typedef struct cyl_call {
    sample *s;
    cylinder *own;
    wrsim_instance self;
    wrsim_point at;
    const double *port[CYL_PORT_GAS];
} cyl_call;

static void begin(sample *s, cyl_call *c)
{
    const double *const u = s->value + CYLINDER_INPUT;
    c->s = s;
    c->own = (cylinder *)s->own;
    c->own->data.param =
        s->value + CYLINDER_PARAMETER; /* a restored state may come from another instance */
    c->self = (wrsim_instance){.param = c->own->data.param, .data = &c->own->data};
    c->port[CYL_PORT_CRANK] = u + CYL_U_THETA;
    c->port[CYL_PORT_INTAKE] = u + CYL_U_INTAKE;
    c->port[CYL_PORT_EXHAUST] = u + CYL_U_EXHAUST;
    c->port[CYL_PORT_FUEL] = u + CYL_U_FUEL;
    c->at = (wrsim_point){.t_s = s->t_s,
                          .x = s->value,
                          .d = c->own->d,
                          .u = u,
                          .w = c->own->w,
                          .mode = c->own->mode,
                          .port = c->port};
}

/* Computes the intermediate results that all callbacks share. */
static void compute_algebra(cyl_call *c)
{
    if (!c->s->is_fresh)
        (void)model->algebra(&c->self, &c->at, c->own->w); /* cannot fail */
    c->s->is_fresh = 1;
}

/* Marks signs that differ from the modes, and sets the modes. An indicator that has fired at this event keeps its mode near zero, where its
 * sign is rounding (the limit is assumed). Returns the number of changed modes. */
static int set_modes(cyl_call *c, signed char fired[CYL_Z_COUNT])
{
    static const double rounding = 1e-12;
    double z[CYL_Z_COUNT];
    int n_all = 0, n = 1;
    for (int look = 0; n > 0 && look < CYL_Z_COUNT; look++, n_all += n) {
        n = 0;
        (void)model->indicator(&c->self, &c->at, z); /* cannot fail */
        for (int i = 0; i < CYL_Z_COUNT; i++) {
            if ((z[i] > 0) == c->own->mode[i] || (c->own->has_fired[i] && fabs(z[i]) <= rounding))
                continue;
            c->own->mode[i] = z[i] > 0;
            fired[i] = fired[i] ? 0 : z[i] > 0 ? 1 : -1;
            n++;
        }
    }
    return n_all;
}

/* Computes the intermediate results. In initialisation mode also takes the parameters, and sets the modes. Returns 0, or -1. */
static int prepare(cyl_call *c)
{
    signed char fired[CYL_Z_COUNT] = {0};
    if (!c->s->is_started && model->init(&c->self, c->s->t_s, c->s->value, c->own->d) != 0)
        return -1;
    compute_algebra(c);
    if (!c->s->is_started)
        (void)set_modes(c, fired);
    return 0;
}

void sample_start(sample *s)
{
    static const double start[CYL_X_COUNT] = {
#define START(i, name, unit, value, ...) [CYL_X_##i] = value,
        CYL_STATE_LIST(START)};
    static const double d[CYL_D_COUNT] = {
#define START_D(i, name, unit, value, ...) [CYL_D_##i] = value,
        CYL_DISCRETE_LIST(START_D)};
    memcpy(s->value, start, sizeof start);
    memcpy(((cylinder *)s->own)->d, d, sizeof d);
    s->value[CYLINDER_INPUT + CYL_U_FUEL] = 1;
    for (int i = 0; i < CYL_PARAM_COUNT; i++)
        s->value[CYLINDER_PARAMETER + i] = cyl_params[i].start;
    s->early_s = (double)INFINITY;
}

int sample_compute(sample *s, int parts)
{
    enum { DISCARD = 2, ERROR = 3 /* of FMI */ };
    cyl_call c;
    begin(s, &c);
    if (prepare(&c) != 0)
        return ERROR;
    if (parts & SAMPLE_OUTPUTS) {
        double y[CYL_Y_COUNT];
        (void)model->output(&c.self, &c.at, y); /* cannot fail */
        memcpy(s->value + CYLINDER_OUTPUT, y, sizeof y);
    }
    return (parts & SAMPLE_RATES) && model->rhs(&c.self, &c.at, s->value + SAMPLE_DERIVATIVE) != 0
               ? DISCARD
               : 0;
}

void sample_indicators(sample *s, double *z)
{
    cyl_call c;
    begin(s, &c);
    (void)prepare(&c);                         /* sample_compute() reports a failure */
    (void)model->indicator(&c.self, &c.at, z); /* cannot fail */
}

int sample_event(sample *s)
{
    cyl_call c;
    begin(s, &c);
    cylinder *const own = c.own;
    compute_algebra(&c);
    signed char fired[CYL_Z_COUNT] = {0};
    const wrsim_event what = {.fired = fired, .is_initial = !own->has_begun};
    if (own->has_begun && set_modes(&c, fired) == 0) {
        memset(own->has_fired, 0, sizeof own->has_fired);
        return 0;
    }
    double x[CYL_X_COUNT], d[CYL_D_COUNT];
    memcpy(x, s->value, sizeof x);
    memcpy(d, own->d, sizeof d);
    c.at.x = x;
    c.at.d = d;
    /* A failure, which is a jump of the crank by a cycle, ends the run. */
    s->is_terminated = model->event(&c.self, &c.at, &what, s->value, own->d) != 0;
    own->has_begun = 1;
    for (int i = 0; i < CYL_Z_COUNT; i++)
        own->has_fired[i] |= fired[i] != 0;
    s->has_new_states = memcmp(x, s->value, sizeof x) != 0;
    s->is_fresh = 0;
    return 1;
}

double sample_nominal(const sample *s, int i)
{
    static const double nominal[CYL_X_COUNT] = {
#define NOMINAL(i, name, unit, start, value, ...) [CYL_X_##i] = value,
        CYL_STATE_LIST(NOMINAL)};
    return nominal[i];
}

int sample_elements(unsigned number) { return 1; }
void sample_misbehave(const char *call) {}
