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
    unsigned char has_fired[CYL_Z_COUNT]; /* 1: the indicator has fired at this event */
    int has_begun;                        /* the initial event has passed */
    /* The arguments of the model's callbacks, with addresses in the sample `of`. A restored state may come from another sample. */
    sample *of;
    wrsim_instance self;
    wrsim_point at;
    const double *port[CYL_PORT_GAS];
} cylinder;
_Static_assert(sizeof(cylinder) <= SAMPLE_OWN * sizeof(double), "SAMPLE_OWN is too small");
_Static_assert((int)CYLINDER_INPUT == 2 * SAMPLE_DERIVATIVE &&
                   (int)CYL_X_COUNT <= (int)SAMPLE_DERIVATIVE &&
                   CYLINDER_INPUT + CYL_U_COUNT <= CYLINDER_OUTPUT &&
                   CYLINDER_OUTPUT + CYL_Y_COUNT <= CYLINDER_PARAMETER &&
                   CYLINDER_PARAMETER + CYL_PARAM_COUNT <= SAMPLE_VALUES,
               "value references overlap");

static const wrsim_model *const model = &engine_cylinder_model;

static void set_arguments(sample *s, cylinder *own)
{
    const double *const u = s->value + CYLINDER_INPUT;
    own->of = s;
    own->data.param = s->value + CYLINDER_PARAMETER;
    own->self = (wrsim_instance){.param = own->data.param, .data = &own->data};
    own->port[CYL_PORT_CRANK] = u + CYL_U_THETA;
    own->port[CYL_PORT_INTAKE] = u + CYL_U_INTAKE;
    own->port[CYL_PORT_EXHAUST] = u + CYL_U_EXHAUST;
    own->port[CYL_PORT_FUEL] = u + CYL_U_FUEL;
    own->at = (wrsim_point){
        .x = s->value, .d = own->d, .u = u, .w = own->w, .mode = own->mode, .port = own->port};
}

static cylinder *begin(sample *s)
{
    cylinder *const own = (cylinder *)s->own;
    if (own->of != s)
        set_arguments(s, own);
    own->at.t_s = s->t_s;
    return own;
}

/* Computes the intermediate results that all callbacks share. */
static void compute_algebra(cylinder *c)
{
    if (!c->of->is_fresh)
        (void)model->algebra(&c->self, &c->at, c->w); /* cannot fail */
    c->of->is_fresh = 1;
}

/* Marks signs that differ from the modes, and sets the modes. An indicator that has fired at this event keeps its mode near zero, where its
 * sign is rounding (the limit is assumed). Returns the number of changed modes. */
static int set_modes(cylinder *c, signed char fired[CYL_Z_COUNT])
{
    static const double rounding = 1e-12;
    double z[CYL_Z_COUNT];
    unsigned char sign[CYL_Z_COUNT];
    int n_all = 0, n = 1;
    for (int look = 0; n > 0 && look < CYL_Z_COUNT; look++, n_all += n) {
        n = 0;
        (void)model->indicator(&c->self, &c->at, z); /* cannot fail */
        for (int i = 0; i < CYL_Z_COUNT; i++)
            sign[i] = z[i] > 0;
        if (memcmp(sign, c->mode, sizeof sign) == 0)
            break;
        for (int i = 0; i < CYL_Z_COUNT; i++) {
            if (sign[i] == c->mode[i] || (c->has_fired[i] && fabs(z[i]) <= rounding))
                continue;
            c->mode[i] = sign[i];
            fired[i] = fired[i] ? 0 : sign[i] ? 1 : -1;
            n++;
        }
    }
    return n_all;
}

/* In initialisation mode takes the parameters, and sets the modes. Returns 0, or -1. */
static int initialise(cylinder *c)
{
    signed char fired[CYL_Z_COUNT] = {0};
    if (model->init(&c->self, c->of->t_s, c->of->value, c->d) != 0)
        return -1;
    c->of->is_fresh = 0;
    compute_algebra(c);
    (void)set_modes(c, fired);
    return 0;
}

/* Computes the intermediate results, in initialisation mode after initialise(). Returns 0, or -1. */
static int prepare(cylinder *c)
{
    if (!c->of->is_started)
        return initialise(c);
    compute_algebra(c);
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
    enum { DISCARD = 2, ERROR = 3 /* statuses of FMI */ };
    cylinder *const c = begin(s);
    if (prepare(c) != 0)
        return ERROR;
    if (parts & SAMPLE_OUTPUTS) {
        double y[CYL_Y_COUNT];
        (void)model->output(&c->self, &c->at, y); /* cannot fail */
        memcpy(s->value + CYLINDER_OUTPUT, y, sizeof y);
    }
    return (parts & SAMPLE_RATES) && model->rhs(&c->self, &c->at, s->value + SAMPLE_DERIVATIVE) != 0
               ? DISCARD
               : 0;
}

void sample_indicators(sample *s, double *z)
{
    cylinder *const c = begin(s);
    (void)prepare(c);                            /* sample_compute() reports a failure */
    (void)model->indicator(&c->self, &c->at, z); /* cannot fail */
}

int sample_event(sample *s)
{
    cylinder *const c = begin(s);
    compute_algebra(c);
    signed char fired[CYL_Z_COUNT] = {0};
    const wrsim_event what = {.fired = fired, .is_initial = !c->has_begun};
    if (c->has_begun && set_modes(c, fired) == 0) {
        memset(c->has_fired, 0, sizeof c->has_fired);
        return 0;
    }
    double x[CYL_X_COUNT], d[CYL_D_COUNT];
    wrsim_point point = c->at;
    memcpy(x, s->value, sizeof x);
    memcpy(d, c->d, sizeof d);
    point.x = x;
    point.d = d;
    if (model->event(&c->self, &point, &what, s->value, c->d) != 0)
        return -1;
    c->has_begun = 1;
    for (int i = 0; i < CYL_Z_COUNT; i++)
        c->has_fired[i] |= fired[i] != 0;
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

void sample_misbehave(const char *call) {}
