/* The contract between wrsim and a model. Built-in models, native plug-ins and adapters use the
 * same one; it is the only header a model may include (beside libc).
 *
 * A model is a hybrid ODE with inputs and outputs, constant discrete states between events:
 *
 *     x' = f(t, x, d, u)        y = g(t, x, d, u)
 *     z = h(t, x, d, u)         state event where an indicator z_i changes sign
 *     x+ = I(t, x, d, u), d+ = J(t, x, d, u)          at an event
 *
 * (A. Ben Khaled, M. Ben Gaid, D. Simon, "Parallelization approaches for the time-efficient simulation of hybrid dynamical
 * systems: application to combustion modeling", EOOLT 2013, eqs. 1-4.)
 *
 * Modes. For every indicator wrsim keeps mode[i] = 1 while z_i > 0, else 0, frozen between events.
 * Branches of the equations must be taken by mode[], never by comparing values: then every function
 * an integrator sees is smooth between two events.
 *
 * With a mass matrix L, constant and declared by describe(), the states follow L x' = f instead. Where L is singular, as
 * where a row has zeros only, that is a DAE, which must be of index 1: its algebraic equations can be solved for what L
 * leaves open (wrsim_description.mass). After events, and at the start, wrsim moves x along L's null space until they hold.
 *
 * Who does what, for one instance:
 *   describe()  once, setup: announces parameters' consequences: variables, sizes, patterns
 *   init()      once per start: fills constants in data, start values of x and d
 *   then, at any point (t, x, d, mode, u):
 *   output()    y;      reads only those u that were declared in WRSIM_U_Y (all, if undeclared)
 *   algebra()   w;      optional: shared intermediate results, called once per point when all u are
 *                       known, before rhs(), indicator() and event() see them as point->w
 *   rhs()       dx/dt
 *   indicator() z
 *   event()     at an event; see wrsim_event
 *   next_time() time of the next event known in advance
 *   jacobian() or jacobian_sparse()  optional: df/dx
 *   tangent(), tangent_output()  optional: directional derivatives of f and g
 *   step_completed()  optional: a step was accepted
 *   done()      once, at the end, if init() was called and succeeded
 *
 * Memory. What an instance remembers beside d lies in instance->memory, which wrsim saves and brings back with the
 * states: a window may be integrated many times before it is accepted. It may be changed by init(), event()
 * and step_completed() only, and read by event(), next_time() and step_completed() only: what other callbacks
 * return must follow from the point (d is for what equations depend on). Anything kept elsewhere is not brought
 * back, and such a model is wrong in a relaxed run.
 *
 * Every callback returns 0 = done; > 0 = cannot evaluate here, retry with a smaller step;
 * < 0 = fatal. Before a non-zero return it may set instance->message to a constant text.
 *
 * Thread: callbacks of one instance are never called at the same time, but may be called from
 * different threads one after the other; instances share no mutable state.
 * Real-time: all callbacks but describe() and init() must not allocate, block, or do I/O if the
 * model claims WRSIM_CAP_RT_SAFE.
 *
 * Floating point: while callbacks run, rounding is to nearest and denormal numbers count as zero; threads
 * that a callback starts inherit that.
 *
 * Units: SI as declared per variable; time in seconds.
 */
#ifndef WRSIM_MODEL_H
#define WRSIM_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changed whenever a plug-in compiled against an older header could misbehave. */
#define WRSIM_MODEL_ABI 2u

/* Kinds of variables. */
typedef enum wrsim_kind {
    WRSIM_STATE,     /* x: continuous state */
    WRSIM_DISCRETE,  /* d: discrete state, changes only in event() */
    WRSIM_INPUT,     /* u */
    WRSIM_OUTPUT,    /* y */
    WRSIM_INDICATOR, /* z */
    WRSIM_PARAMETER, /* p: constant */
    WRSIM_KIND_COUNT
} wrsim_kind;

/* Flags of a variable. */
enum {
    WRSIM_REQUIRED = 1 << 0, /* parameter or input without a default: must be given/connected */
    WRSIM_INTEGER = 1 << 1,  /* parameter takes whole numbers only */
    WRSIM_IS_STATE = 1 << 2, /* output equals state `index`; wrsim copies it, output() need not */
    WRSIM_RISING_ONLY = 1 << 3, /* indicator: only - to + is an event; else its mode just follows */
    WRSIM_FALLING_ONLY =
        1 << 4, /* indicator: only + to - is an event; else its mode just follows */
    WRSIM_DISCONTINUOUS = 1 << 5, /* output may jump at events (reserved as a hint) */
    /* A parameter is a real number unless it is WRSIM_INTEGER, one of these, or has choices. */
    WRSIM_BOOLEAN = 1 << 6, /* parameter: true or false in a config, 1 or 0 in instance->param */
    WRSIM_TEXT = 1 << 7,    /* parameter: a text, in instance->text */
    /* Parameter, a real or whole number: it may change while the model runs, at events of its component ([[scenario]]). It
     * is read from instance->param at every call, never kept in data by init(), and what describe() announces does not
     * depend on it, but for nominal values and whether it is refused. Descriptors without it stay right. */
    WRSIM_TUNABLE = 1 << 8
};

/* One variable. Strings are copied by wrsim during the call that passes them. */
typedef struct wrsim_variable {
    const char *name;        /* identifier: letters, digits, '_', '[', ']'; unique in the model */
    const char *unit;        /* SI text such as "Pa", "kg/s", "1"; "" or NULL = not checked */
    const char *description; /* one line for people */
    double start;            /* start value (x, d), default (u, p) */
    double nominal;   /* typical magnitude, > 0; scales absolute tolerances. 0 = not declared: 1.0,
                                or of a connected input or output that of the other ends */
    double min, max;  /* parameter: allowed range; both 0 = unlimited */
    unsigned flags;   /* WRSIM_REQUIRED ... */
    int index;        /* with WRSIM_IS_STATE: which state */
    const char *text; /* parameter with WRSIM_TEXT: its default; NULL = "" */
    /* Parameter: the names of its values, NULL-terminated; a config gives one of them, instance->param its index, as
     * start does. NULL: it is no enumeration. */
    const char *const *choices;
} wrsim_variable;

/* Incidence patterns: which variable acts on which. One that is never declared counts as full;
 * to declare an empty one, call depends() once with row = column = -1. */
typedef enum wrsim_pattern {
    WRSIM_X_X, /* row: x' ; column: x */
    WRSIM_U_X, /* row: x' ; column: u */
    WRSIM_X_Y, /* row: y  ; column: x */
    WRSIM_U_Y, /* row: y  ; column: u (direct feedthrough) */
    WRSIM_X_Z, /* row: z  ; column: x */
    WRSIM_U_Z, /* row: z  ; column: u */
    WRSIM_Z_D, /* row: d  ; column: z (an event of z may change d) */
    WRSIM_D_X, /* row: x' ; column: d */
    WRSIM_D_Z, /* row: z  ; column: d */
    WRSIM_PATTERN_COUNT
} wrsim_pattern;

/* Where describe() announces the model. Set the sizes, call add() for each variable in the order of
 * its index, depends() for each non-zero of a pattern, and port() for inputs that are read together.
 * All return 0, or -1 when the description is already known to be invalid (the error is reported by
 * wrsim; just return -1). */
typedef struct wrsim_description {
    size_t struct_size;
    int n_w;             /* set by the model: doubles filled by algebra() */
    size_t data_bytes;   /* set by the model: bytes of instance->data, zeroed before init() and
                          aligned for any type */
    size_t memory_bytes; /* the same of instance->memory */
    int (*add)(struct wrsim_description *, wrsim_kind, const wrsim_variable *);
    int (*depends)(struct wrsim_description *, wrsim_pattern, int row, int column);
    void *host; /* wrsim's own */
    /* Sets entry (row, column) of the mass matrix: row is the place of an equation in ret_dx of rhs(), column a state. Entries
     * that are never set are zero once one is; a model that sets none has the identity. Since model.h has it, so
     * only where struct_size > offsetof(wrsim_description, mass). Returns as add(). */
    int (*mass)(struct wrsim_description *, int row, int column, double value);
    /* Optional to call; there since struct_size counts it. The n inputs from `first` on are a port: callbacks
     * find them side by side at point->port[k], k counting calls of port(), and no longer in point->u. Values
     * that stand side by side where they come from, such as the states of one component, are then read where
     * they are instead of being copied at every evaluation. Ports share no input. */
    int (*port)(struct wrsim_description *, int first, int n);
    /* Set by the model, optional; there since struct_size counts it. Time scale of t_s itself, s: between two events, with x, d
     * and u held, no pulse or half wave of rhs(), output(), algebra() and indicator() in t_s is shorter. INFINITY: they do not
     * read t_s, or are linear in it. 0 = not declared: a step is searched for pulses that last a tenth of the communication
     * step or longer, at up to 20 evaluations per communication step; shorter pulses may be lost. A declared
     * scale costs up to two evaluations for each such length of the run. */
    double time_scale_s;
} wrsim_description;

/* One instance, as callbacks see it. */
typedef struct wrsim_instance {
    const double *param;     /* [n_param], in the order of wrsim_model.params; 0 for texts */
    const char *const *text; /* [n_param], the same; NULL for what is no text */
    void *data;              /* [data_bytes] filled by init(), constant afterwards */
    void *memory;            /* [memory_bytes] saved and brought back with the states */
    const void *user;        /* the model's user */
    const char *message;     /* set by a callback before a non-zero return; constant text */
} wrsim_instance;

/* A point at which a model is evaluated. */
typedef struct wrsim_point {
    double t_s;                /* simulated time, s */
    const double *x;           /* [n_state] */
    const double *d;           /* [n_discrete] */
    const double *u;           /* [n_input], those in ports left out */
    const double *w;           /* [n_w] results of algebra() at this point */
    const unsigned char *mode; /* [n_indicator] frozen signs: 1 = positive */
    const double *const
        *port; /* [number of ports] where the inputs of each are; the model has called port() */
} wrsim_point;

/* What happened, for event(). Modes of the point are already the new ones. Where an input jumps, as held ones do, an
 * indicator may be far past zero, and several that lie behind one another have fired at once. */
typedef struct wrsim_event {
    const signed char *fired; /* [n_indicator] +1 rose through zero, -1 fell, 0 nothing */
    int is_time_event;        /* 1: the time announced by next_time() has come */
    int is_initial; /* 1: first call, at the start of the simulation; modes were just set */
} wrsim_event;

/* Capabilities a model claims. */
enum {
    WRSIM_CAP_RT_SAFE = 1 << 0,      /* callbacks neither allocate, block nor do I/O */
    WRSIM_CAP_ONE_INSTANCE = 1 << 1, /* it can be there once in a process */
    /* What the solvers of components need and it lacks; it takes a kind of subsystem of its own: */
    WRSIM_CAP_CANNOT_RESTORE = 1 << 2, /* it cannot go back to an earlier point */
    WRSIM_CAP_COMMUNICATION_STEPS =
        1 << 3,                   /* it moves from one communication point to the next only */
    WRSIM_CAP_OWN_THREAD = 1 << 4 /* all its callbacks must come from one thread */
};

typedef struct wrsim_model {
    uint32_t abi;         /* WRSIM_MODEL_ABI */
    uint32_t struct_size; /* sizeof(wrsim_model) */
    const char *name;     /* unique, such as "engine.cylinder" */
    const char *description;
    uint32_t caps;
    int n_param;
    const wrsim_variable *params; /* [n_param] with defaults and limits */

    /* Required. instance->param is valid, data is not yet. */
    int (*describe)(wrsim_instance *, wrsim_description *);
    /* Optional. x and d hold the start values (description or config) and may be changed. */
    int (*init)(wrsim_instance *, double t_s, double *x, double *d);
    /* Required if there are states: f, which is dx/dt without a mass matrix. */
    int (*rhs)(wrsim_instance *, const wrsim_point *, double *ret_dx);
    /* Required if there are outputs other than WRSIM_IS_STATE ones. point->w is not available. */
    int (*output)(wrsim_instance *, const wrsim_point *, double *ret_y);
    /* Required if n_w > 0. */
    int (*algebra)(wrsim_instance *, const wrsim_point *, double *ret_w);
    /* Required if there are indicators. */
    int (*indicator)(wrsim_instance *, const wrsim_point *, double *ret_z);
    /* Optional: x and d hold the values before the event and are changed in place. */
    int (*event)(wrsim_instance *, const wrsim_point *, const wrsim_event *, double *x, double *d);
    /* Optional: time of the next time event, > t_s, or INFINITY. Depends on t_s, d and what events have left in
     * memory only. */
    double (*next_time)(wrsim_instance *, const wrsim_point *);
    /* Optional: df/dx, column-major [n_state * n_state], all entries written. */
    int (*jacobian)(wrsim_instance *, const wrsim_point *, double *ret_jac);

    const void *
        user; /* the model's own, handed on in every instance: what made it needs it, as a loader does */
    /* Optional instead of jacobian(), with WRSIM_X_X declared: the values of its non-zeros column by column, in each
     * by growing row, one declared twice once; all written. */
    int (*jacobian_sparse)(wrsim_instance *, const wrsim_point *, double *ret_value);
    /* Optional: the step that ends at this point was accepted. Changes memory only. */
    int (*step_completed)(wrsim_instance *, const wrsim_point *);
    /* Optional: directional derivatives where modes and d stay as they are, f_x x_change + f_u u_change into
     * ret_dx[n_state], and the same of outputs (g) into ret_dy[n_output], those flagged WRSIM_IS_STATE left out as in
     * output(). Where all models of a subsystem that are on the way have them, wrsim takes no differences for Jacobians that
     * are not given, nor to see how errors move on. A non-zero return: it does so at this point. */
    int (*tangent)(wrsim_instance *, const wrsim_point *, const double *x_change,
                   const double *u_change, double *ret_dx);
    int (*tangent_output)(wrsim_instance *, const wrsim_point *, const double *x_change,
                          const double *u_change, double *ret_dy);
    /* Optional: frees what init() got hold of. */
    void (*done)(wrsim_instance *);
} wrsim_model;

/* The one symbol a plug-in exports: a NULL-terminated list of models, constant and owned by the
 * plug-in. abi is the host's WRSIM_MODEL_ABI; return NULL to refuse it. */
typedef const wrsim_model *const *(*wrsim_plugin_models_fn)(uint32_t abi);
#define WRSIM_PLUGIN_SYMBOL "wrsim_plugin_models"

#ifdef __cplusplus
}
#endif
#endif
