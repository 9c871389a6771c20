/* The shell around the kernels of the random adversary's models.
 *
 * Each model is a kernel that computes with numbers of size one. The shell multiplies states and outputs by the parameter sy and divides
 * input i by su<i>. Signals then have any size from 1e-9 to 1e9 with the same mathematics.
 *
 *     su0 ... su3   size of the connected signals
 *     nu0 ... nu3   nominal values declared for the inputs, 0 = not declared
 *     sy            size of states and outputs
 *     ny            nominal value declared for the outputs, in units of sy; 0 = not declared
 *     nx            1 = the states declare the nominal value sy, 0 = they declare none
 *     patterns      declared dependency patterns: 0 none, 1 patterns of the outputs, 2 all
 *     ts            time scale in s: the shell divides rates by ts and multiplies times by ts
 *     ports         inputs in input blocks: 0 none, 1 all in one block, 2 one block for each input, 3 the first two in one block
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#ifndef TESTS_ADVERSARY_ADVERSARY_SHELL_H
#define TESTS_ADVERSARY_ADVERSARY_SHELL_H

#include <math.h>
#include <string.h>

#include "wrsim/model.h"

#define WR_UNUSED __attribute__((unused))

enum { MAX_X = 2, MAX_D = 4, MAX_U = 4, MAX_Y = 3, MAX_Z = 2 };

/* A point in the units of the kernel: time, parameters, states, discrete states, inputs, modes. */
typedef struct point {
    double t_s;
    const double *p, *x, *d, *v;
    const unsigned char *mode;
} point;

/* A pattern is a text with one word for each row of the matrix: 'x' is a dependency, '.' is zero. */
typedef struct kernel {
    int n_x, n_d, n_u, n_y, n_z;
    const char *y_is;  /* per output: '.' computed; a digit: the state with this index */
    const char *z_way; /* per indicator: 'b' both ways, 'r' rising, 'f' falling */
    const char *u_y, *x_y, *u_x, *x_x, *u_z, *x_z, *z_d, *d_x, *d_z;
    double u_start; /* start value of unconnected inputs */
    void (*start)(const double *p, double *x, double *d);
    void (*rhs)(const point *at, double *dx);
    int (*output)(const point *at, double *y); /* non-zero: undefined at this point */
    void (*indicator)(const point *at, double *z);
    void (*event)(const point *at, const wrsim_event *what, double *x, double *d);
    double (*next_time)(const point *at);
} kernel;

/* Shorthands for the fields of a kernel. */
#define SIZES(x, d, u, y, z) .n_x = x, .n_d = d, .n_u = u, .n_y = y, .n_z = z
#define Y_IS(value) .y_is = value
#define Z_WAY(value) .z_way = value
#define U_Y(value) .u_y = value
#define X_Y(value) .x_y = value
#define U_X(value) .u_x = value
#define X_X(value) .x_x = value
#define U_Z(value) .u_z = value
#define X_Z(value) .x_z = value
#define Z_D(value) .z_d = value
#define D_X(value) .d_x = value
#define D_Z(value) .d_z = value
#define U_START(value) .u_start = value
#define START(value) .start = value
#define RATES(value) .rhs = value
#define OUTPUT(value) .output = value
#define INDICATOR(value) .indicator = value
#define EVENT(value) .event = value
#define NEXT_TIME(value) .next_time = value

/* Callbacks of a kernel. The block after ON_OUTPUT(name) writes y and always succeeds. The blocks after ON_EVENT and ON_START write x and
 * d. */
#define ON_OUTPUT(name)                                                                            \
    static void name##_block(WR_UNUSED const point *at, double *y);                                \
    static int name(const point *at, double *y)                                                    \
    {                                                                                              \
        name##_block(at, y);                                                                       \
        return 0;                                                                                  \
    }                                                                                              \
    static void name##_block(WR_UNUSED const point *at, double *y)
#define ON_EVENT(name)                                                                             \
    static void name(WR_UNUSED const point *at, WR_UNUSED const wrsim_event *what,                 \
                     WR_UNUSED double *x, WR_UNUSED double *d)
#define ON_START(name)                                                                             \
    static void name(WR_UNUSED const double *p, WR_UNUSED double *x, WR_UNUSED double *d)

#define P(symbol, text, value)                                                                     \
    {                                                                                              \
        .name = symbol, .description = text, .start = value                                        \
    }
/* The parameters that all models have, and their number. */
#define COMMON                                                                                     \
    P("su0", "size of input 0", 1.0), P("su1", "size of input 1", 1.0),                            \
        P("su2", "size of input 2", 1.0), P("su3", "size of input 3", 1.0),                        \
        P("nu0", "nominal value of input 0", 0.0), P("nu1", "nominal value of input 1", 0.0),      \
        P("nu2", "nominal value of input 2", 0.0), P("nu3", "nominal value of input 3", 0.0),      \
        P("sy", "size of outputs and states", 1.0), P("ny", "nominal value of outputs", 1.0),      \
        P("nx", "states declare a nominal value", 1.0),                                            \
        P("patterns", "0 none, 1 of outputs, 2 all", 2.0),                                         \
        P("ports", "0 none, 1 all inputs in one, 2 each in one, 3 the first two in one", 0.0),     \
        P("ts", "time scale, s: the kernel's time is t / ts", 1.0)
enum { SU = 0, NU = MAX_U, SY = 2 * MAX_U, NY, NX, PATTERNS, PORTS, TS, N_COMMON };

int wr_shell_describe(const kernel *k, const wrsim_instance *self, wrsim_description *to);
int wr_shell_init(const kernel *k, wrsim_instance *self, double *x, double *d);
int wr_shell_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx);
int wr_shell_output(wrsim_instance *self, const wrsim_point *at, double *ret_y);
int wr_shell_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z);
int wr_shell_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                   double *d);
double wr_shell_next_time(wrsim_instance *self, const wrsim_point *at);

/* The output function of a kernel whose only output is its first state. */
int wr_shell_first_state(const point *at, double *y);

/* Defines the model of kernel k; `table` has the model's parameters. */
#define DEFINE_MODEL(k, table)                                                                     \
    static int k##_describe(wrsim_instance *self, wrsim_description *to)                           \
    {                                                                                              \
        return wr_shell_describe(&k, self, to);                                                    \
    }                                                                                              \
    static int k##_init(wrsim_instance *self, double t_s, double *x, double *d)                    \
    {                                                                                              \
        (void)t_s;                                                                                 \
        return wr_shell_init(&k, self, x, d);                                                      \
    }                                                                                              \
    static const wrsim_model k##_model = {.abi = WRSIM_MODEL_ABI,                                  \
                                          .struct_size = sizeof(wrsim_model),                      \
                                          .name = "adversary." #k,                                 \
                                          .description = "kernel " #k " at any size",              \
                                          .caps = WRSIM_CAP_RT_SAFE,                               \
                                          .n_param = (int)(sizeof(table) / sizeof *(table)),       \
                                          .params = (table),                                       \
                                          .describe = k##_describe,                                \
                                          .init = k##_init,                                        \
                                          .rhs = wr_shell_rhs,                                     \
                                          .output = wr_shell_output,                               \
                                          .indicator = wr_shell_indicator,                         \
                                          .event = wr_shell_event,                                 \
                                          .next_time = wr_shell_next_time};
#define LIST_MODEL(k, table) &k##_model,

#endif
