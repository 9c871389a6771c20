/* A program with two own models. A solver of wrsim integrates the first model, a heated room. The second model, a sampled controller,
 * advances itself. The config names the models like built-in models. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "wrsim/wrsim.h"

/* ---- the room: C T' = power - loss (T - 283 K) ---- */

enum { CAPACITY, LOSS };
static const wrsim_variable room_params[] = {
    {.name = "capacity", .unit = "J/K", .start = 5e5, .min = 1.0, .max = 1e12},
    {.name = "loss", .unit = "W/K", .start = 100.0},
};

static int room_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable state = {
        .name = "T", .unit = "K", .start = 283.0, .nominal = 300.0};
    static const wrsim_variable output = {
        .name = "T", .unit = "K", .nominal = 300.0, .flags = WRSIM_IS_STATE, .index = 0};
    static const wrsim_variable power = {.name = "power", .unit = "W", .nominal = 1e3};
    (void)self;
    to->time_scale_s = INFINITY; /* room_rhs() does not read the time */
    return to->add(to, WRSIM_STATE, &state) | to->add(to, WRSIM_OUTPUT, &output) |
           to->add(to, WRSIM_INPUT, &power);
}

static int room_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = (at->u[0] - self->param[LOSS] * (at->x[0] - 283.0)) / self->param[CAPACITY];
    return 0;
}

static const wrsim_model room = {.abi = WRSIM_MODEL_ABI,
                                 .struct_size = sizeof(wrsim_model),
                                 .name = "house.room",
                                 .description = "heated room",
                                 .n_param = 2,
                                 .params = room_params,
                                 .describe = room_describe,
                                 .rhs = room_rhs};

/* ---- the controller: proportional and integral, sampled ---- */

enum { PERIOD, SET_POINT };
static const wrsim_variable control_params[] = {
    {.name = "period", .unit = "s", .start = 60.0, .min = 1.0, .max = 1e5},
    {.name = "set_point", .unit = "K", .start = 293.0},
};
static const double GAIN = 1000.0, INTEGRAL_GAIN = 0.5,
                    MOST_POWER = 5000.0; /* W/K, W/(K s), W; assumed */

/* All state of the controller is in instance->memory, so wrsim can repeat windows and write checkpoints. */
typedef struct control {
    double n_sample, integral, power;
} control;

static int control_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable measured = {.name = "T", .unit = "K", .nominal = 300.0};
    static const wrsim_variable power = {
        .name = "power", .unit = "W", .nominal = 1e3, .flags = WRSIM_DISCONTINUOUS};
    (void)self;
    to->memory_bytes = sizeof(control);
    return to->add(to, WRSIM_INPUT, &measured) | to->add(to, WRSIM_OUTPUT, &power);
}

static int control_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)at;
    ret_y[0] = ((const control *)self->memory)->power;
    return 0;
}

static double control_next_time(wrsim_instance *self, const wrsim_point *at)
{
    (void)at;
    return (((const control *)self->memory)->n_sample + 1.0) * self->param[PERIOD];
}

static int control_advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    control *const c = self->memory;
    (void)ret_slope;
    if (step->end_s < control_next_time(self, NULL))
        return 0; /* the step ends before the next sample */
    const double error = self->param[SET_POINT] - step->u_end[0];
    const double wanted = GAIN * error + c->integral;
    c->power = wanted < 0.0 ? 0.0 : wanted > MOST_POWER ? MOST_POWER : wanted;
    if (wanted > 0.0 && wanted < MOST_POWER)
        c->integral += INTEGRAL_GAIN * self->param[PERIOD] * error;
    c->n_sample += 1.0;
    return 0;
}

static const wrsim_stepper control_stepper = {.struct_size = sizeof(wrsim_stepper),
                                              .advance = control_advance};
static const wrsim_model controller = {.abi = WRSIM_MODEL_ABI,
                                       .struct_size = sizeof(wrsim_model),
                                       .name = "house.controller",
                                       .description = "sampled controller",
                                       .n_param = 2,
                                       .params = control_params,
                                       .describe = control_describe,
                                       .output = control_output,
                                       .next_time = control_next_time,
                                       .stepper = &control_stepper};

/* ---- the run ---- */

static const char text[] = "[simulation]\n"
                           "stop = 7200.0\n"
                           "communication_step = 10.0\n"
                           "[[component]]\n"
                           "name = \"room\"\n"
                           "model = \"house.room\"\n"
                           "[[component]]\n"
                           "name = \"controller\"\n"
                           "model = \"house.controller\"\n"
                           "parameters = { period = 120.0 }\n"
                           "[[connection]]\n"
                           "from = \"room.T\"\n"
                           "to = \"controller.T\"\n"
                           "[[connection]]\n"
                           "from = \"controller.power\"\n"
                           "to = \"room.power\"\n"
                           "[output]\n"
                           "file = \"\"\n";

int main(void)
{
    static const wrsim_model *const models[] = {&room, &controller, NULL};
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wrsim_status status = wrsim_config_from_text(text, strlen(text), "own_model.toml", NULL, 0,
                                                 NULL, NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create_hosted(config, &host, NULL, NULL, &sim, &err);
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    const int temperature = wrsim_find(sim, "room.T"), power = wrsim_find(sim, "controller.power");
    for (int i = 1; i <= 12 && status >= 0; i++) {
        status = wrsim_advance(sim, 600.0 * i, &err);
        printf("t = %5.0f s  T = %6.2f K  power = %6.1f W\n", wrsim_time(sim),
               wrsim_get(sim, temperature), wrsim_get(sim, power));
    }
    if (status < 0 && err.line > 0)
        fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.text);
    else if (status < 0)
        fprintf(stderr, "%s: %s\n", err.file[0] ? err.file : "wrsim", err.text);
    wrsim_destroy(&sim);
    wrsim_config_destroy(&config);
    return status < 0;
}
