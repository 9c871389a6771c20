/* The contract between wrsim and a model, for built-in models, native plug-ins and adapters alike. A model may
 * include only this header and libc.
 *
 * A model is a hybrid ODE with inputs u, outputs y, states x, and discrete states d that are constant between
 * events:
 *
 *     x' = f(t, x, d, u)        y = g(t, x, d, u)
 *     z = h(t, x, d, u)         state event where an indicator z_i changes sign
 *     x+ = I(t, x, d, u), d+ = J(t, x, d, u)          at an event
 *
 * (A. Ben Khaled, M. Ben Gaid, D. Simon, "Parallelization approaches for the time-efficient simulation of hybrid
 * dynamical systems: application to combustion modeling", EOOLT 2013, eqs. 1-4.)
 *
 * Modes. For every indicator wrsim keeps mode[i] = 1 if z_i > 0, else 0. Modes are constant between events. A model must branch
 * on mode[] only, never on values. Then every function that a solver evaluates is smooth between two events.
 *
 * Mass matrix. If describe() declares a constant mass matrix L, the states follow L x' = f. If L is singular, the
 * system is a DAE, which must have index 1 (wrsim_description.mass). The algebraic equations must then determine the
 * part of x in the null space of L. At the start and after events, wrsim changes x along this null space until
 * the equations hold.
 *
 * Callbacks of one instance:
 *     describe()  once, setup: declares variables, sizes and patterns, which may depend on parameters
 *     init()      once per start: sets constants in data, and start values of x and d
 *     init_from_inputs()  optional: computes start values of x and d from the inputs
 *     then, at any point (t, x, d, mode, u):
 *     output()    y; reads only inputs that the pattern WRSIM_U_Y declares (all, if undeclared)
 *     algebra()   w; optional: intermediate results, computed once per point when all u are known,
 *                 before rhs(), indicator() and event() read w as point->w (see WRSIM_CAP_EVENT_WITHOUT_W)
 *     rhs()       dx/dt
 *     indicator() z
 *     event()     changes of x and d at an event; see wrsim_event
 *     next_time() time of the next event known in advance
 *     jacobian() or jacobian_sparse()  optional: df/dx
 *     tangent(), tangent_output()  optional: directional derivatives of f and g
 *     step_completed()  optional: the solver has accepted a step
 *     done()      once, at the end, if init() succeeded
 *
 * Memory. All state of an instance other than x and d must be in instance->memory, or be an own state (next paragraph). wrsim saves and
 * restores this memory with the states, because wrsim may integrate a window several times. A model with state elsewhere gives wrong
 * results in a relaxed run. Without a stepper only init(), init_from_inputs(), event() and step_completed() may change the memory, and only
 * event(), next_time() and step_completed() may read the memory. All other callbacks must depend on the point alone, so equations use d
 * instead.
 *
 * Own state. A model whose state cannot be in instance->memory, such as the state of another program, keeps copies of this state for wrsim:
 * see wrsim_own_state. Without a stepper only init(), init_from_inputs(), event() and step_completed() may change an own state. All
 * callbacks may read the own state. step_completed() may change only those parts that equations do not read. wrsim calls event() of such a
 * model only for events of the run, as with WRSIM_CAP_NO_PROBE.
 *
 * Steppers. A model with a stepper (wrsim_model.stepper) advances itself: another simulator, a co-simulation unit, a
 * sampled controller. A stepper has parameters, inputs and outputs only, and a subsystem of its own. Its callbacks are:
 *     describe(), init() and done() as above; init() gets no x and d
 *     output()    y at the present time, from the memory and not from u; called at the start, after each step and after each event
 *     next_time() optional: latest end of the next step, such as the next sample; must depend on t_s and memory only
 *     stepper->advance()
 *     stepper->event() optional: an event at the present time
 * Steps end at communication points, at next_time(), at jumps of inputs and at ends of windows. With
 * WRSIM_CAP_COMMUNICATION_STEPS steps end at communication points only, and next_time() must be NULL. advance() may end a step
 * earlier. An output with WRSIM_DISCONTINUOUS keeps its value during a step and jumps at the end. Cubics with the slopes from
 * advance() join the values of all other outputs.
 *
 * Arrays. output(), algebra(), rhs(), indicator() and Jacobians write every element of their array, except outputs with WRSIM_IS_STATE. At
 * the start of a run wrsim calls output(), algebra(), rhs() and indicator() once more. An element without a write is an error, as is a
 * write beyond an array. memory and data are NULL if describe() requests no bytes.
 *
 * Return values of callbacks: 0 = done; > 0 = no value at this point, retry with a smaller step; < 0 = fatal error.
 * Before a non-zero return a callback may set instance->message to a constant text. WRSIM_ENTER_EVENT and WRSIM_TERMINATE are requests of a
 * successful callback.
 *
 * Thread: callbacks of one instance never run at the same time, but may run on different threads one after the
 * other. Instances share no mutable state. Real-time: if the model claims WRSIM_CAP_RT_SAFE, all callbacks except
 * describe() and init() must not allocate, block, or do I/O.
 *
 * Floating point: while callbacks run, rounding is to nearest and denormal numbers count as zero. Threads that a
 * callback starts inherit this mode.
 *
 * Units: as declared per variable; time in seconds. */
#ifndef WRSIM_MODEL_H
#define WRSIM_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. A new version of wrsim has a larger number if plug-ins of the older header would malfunction. */
#define WRSIM_MODEL_ABI 3u

/* Kinds of variables. x, d, u, y and z are letters of the equations above; p stands for parameters. */
typedef enum wrsim_kind {
    WRSIM_STATE,     /* x: continuous state */
    WRSIM_DISCRETE,  /* d: discrete state; only event() changes it */
    WRSIM_INPUT,     /* u: set by a connection, a port or the default */
    WRSIM_OUTPUT,    /* y: computed by output(), or equal to a state */
    WRSIM_INDICATOR, /* z: event indicator */
    WRSIM_PARAMETER, /* p: parameter; constant without WRSIM_TUNABLE */
    WRSIM_KIND_COUNT
} wrsim_kind;

/* Flags of a variable, for wrsim_variable.flags. */
enum {
    /* parameter that a config must set, or input that a config must connect */
    WRSIM_REQUIRED = 1 << 0,
    WRSIM_INTEGER = 1 << 1, /* parameter takes whole numbers only */
    /* output equals state `index`; wrsim copies the state, so output() need not write the output */
    WRSIM_IS_STATE = 1 << 2,
    /* indicator: only a change from - to + is an event; the mode follows both changes */
    WRSIM_RISING_ONLY = 1 << 3,
    /* indicator: only a change from + to - is an event; the mode follows both changes */
    WRSIM_FALLING_ONLY = 1 << 4,
    /* output of a stepper that may jump at the end of a step; no effect in other models */
    WRSIM_DISCONTINUOUS = 1 << 5,
    /* A parameter is a real number, unless it has choices or one of the flags WRSIM_INTEGER, WRSIM_BOOLEAN and WRSIM_TEXT. */
    WRSIM_BOOLEAN = 1 << 6, /* parameter: true or false in a config, 1 or 0 in instance->param */
    WRSIM_TEXT = 1 << 7,    /* parameter: a text, in instance->text */
    /* Parameter, a real or whole number: [[scenario]] may change its value during the run, at events of its component. The model must read
     * the value from instance->param at every call and must not copy the value into data. Only nominal values, and an error for a bad
     * value, may depend on the value in describe(). */
    WRSIM_TUNABLE = 1 << 8,
    /* State: init() computes the start value, and a config cannot set it. */
    WRSIM_COMPUTED_START = 1 << 9
};

/* One variable. wrsim copies the strings during the call that passes them. */
typedef struct wrsim_variable {
    const char *name; /* 1 to 256 bytes of UTF-8 without control characters; unique in the model */
    /* unit such as "Pa", "kg/s", "degC" or "1"; a connection converts the value to the unit of its input; "" or NULL: not checked */
    const char *unit;
    const char *description; /* one line of description for users */
    double start;            /* start value of x or d; default of u or p */
    /* typical magnitude, > 0; scales absolute tolerances; 0: not declared. Ends of a connection share the smallest declared value. Without
     * a declared value, the value is 1.0, or less if a stateless component propagates a smaller value. */
    double nominal;
    double min, max;  /* allowed range of a parameter; both 0: unlimited */
    unsigned flags;   /* sum of flags, such as WRSIM_REQUIRED */
    int index;        /* with WRSIM_IS_STATE: index of the state */
    const char *text; /* parameter with WRSIM_TEXT: its default; NULL: "" */
    /* Parameter with an enumeration: names of its values, ended by NULL. A config gives a name; `start` and instance->param are the index
     * of the name. NULL: no enumeration. */
    const char *const *choices;
} wrsim_variable;

/* Incidence patterns: an entry means that the variable of the column acts on the variable of the row. An undeclared pattern counts as full.
 * To declare an empty pattern, call depends() once with row = column = -1. */
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

/* Interface through which describe() declares the model. describe() sets the sizes, and calls add() for each variable in the order of its
 * index. describe() calls depends() for each non-zero of a pattern, and port() for each input block: inputs that callbacks read together.
 * The functions return 0, or -1 if the declaration is invalid. wrsim reports the error, so describe() then returns -1. */
typedef struct wrsim_description {
    size_t struct_size; /* sizeof(wrsim_description) of the running wrsim */
    int n_w;            /* set by the model: number of values that algebra() writes */
    /* set by the model: bytes of instance->data, zeroed before init(), aligned for any type */
    size_t data_bytes;
    /* set by the model: bytes of instance->memory, zeroed and aligned in the same way */
    size_t memory_bytes;
    /* Declares the next variable of a kind; wrsim copies the variable and its strings. */
    int (*add)(struct wrsim_description *, wrsim_kind, const wrsim_variable *);
    /* Declares entry (row, column) of a pattern; -1, -1 declares an empty pattern. */
    int (*depends)(struct wrsim_description *, wrsim_pattern, int row, int column);
    void *host; /* private data of wrsim */
    /* Sets entry (row, column) of the mass matrix. row is an index into ret_dx of rhs(), column a state. Entries without a call are zero;
     * without any call the matrix is the identity. Returns as add(). Older versions of wrsim lack this member, so describe() calls mass()
     * only if struct_size > offsetof(wrsim_description, mass). */
    int (*mass)(struct wrsim_description *, int row, int column, double value);
    /* Optional. Declares the n inputs from `first` on as an input block: callbacks find their values contiguous at point->port[k], and not
     * in point->u. k is the number of the call of port(), from 0. If the values are contiguous in the producer, such as the states of one
     * component, wrsim passes their address instead of a copy. Input blocks share no input. The check of struct_size is as for mass(). */
    int (*port)(struct wrsim_description *, int first, int n);
    /* Optional, set by the model. Shortest time scale of the explicit time t_s, s. With x, d and u constant between two events, rhs(),
     * output(), algebra() and indicator() have no shorter pulse or half wave in t_s. INFINITY: these functions do not read t_s or are
     * linear in t_s. 0: not declared. wrsim then searches each step for pulses of at least a tenth of the communication step, and may
     * miss shorter pulses. With long steps the search takes about 20 evaluations per communication step. A declared scale costs about
     * two evaluations per time_scale_s of the run. The check of struct_size is as for mass(). */
    double time_scale_s;
} wrsim_description;

/* One instance of a model, as callbacks receive it. */
typedef struct wrsim_instance {
    const double *param; /* [n_param] values, in the order of wrsim_model.params; 0 for texts */
    /* [n_param] texts, in the order of wrsim_model.params; NULL for other parameters */
    const char *const *text;
    void *data;          /* [data_bytes], set by init(), constant afterwards */
    void *memory;        /* [memory_bytes], saved and restored with the states */
    const void *user;    /* private data of the provider: wrsim_model.user */
    const char *message; /* constant text of an error, set by a callback before a non-zero return */
} wrsim_instance;

/* A point at which a model is evaluated. */
typedef struct wrsim_point {
    double t_s;                /* simulated time, s */
    const double *x;           /* [n_state] states */
    const double *d;           /* [n_discrete] discrete states */
    const double *u;           /* [n_input] inputs; undefined for inputs in blocks */
    const double *w;           /* [n_w] results of algebra() at this point */
    const unsigned char *mode; /* [n_indicator] modes of the indicators; 1: positive */
    const double *const *port; /* [n_port] values of each input block */
} wrsim_point;

/* Cause of an event. The point already has the new modes. If an input jumps, indicators may be far beyond zero, and several indicators may
 * fire at once. */
typedef struct wrsim_event {
    const signed char *fired; /* [n_indicator] sign change: +1 upwards, -1 downwards, 0 none */
    int is_time_event;        /* 1: the present time is the time of next_time() */
    /* 1: first call at the start of the simulation, after wrsim has set the modes */
    int is_initial;
} wrsim_event;

/* Requests that a callback returns instead of 0. */
enum {
    /* step_completed(): the component has a time event at the end of this step. Only the event may make changes that act on results.
     * advance() and event() of a stepper: see wrsim_stepper. */
    WRSIM_ENTER_EVENT = 1001,
    /* event(): the run ends at this instant, with the results of the event, as a complete run. The summary contains instance->message. In
     * a split run the window ends at this instant, after its sweeps have converged. The request is an error at the start of the
     * run, in slackened runs, and in split runs with a subsystem that cannot restore or advances by communication steps. */
    WRSIM_TERMINATE = 1002
};

/* Capabilities that a model claims. */
enum {
    /* Callbacks except describe() and init() neither allocate, block nor do I/O. */
    WRSIM_CAP_RT_SAFE = 1 << 0,
    WRSIM_CAP_ONE_INSTANCE = 1 << 1, /* a process can have only one instance */
    /* wrsim calls event() only for events of the run. Without this capability wrsim also calls event() at other points and discards the
     * results, to find the influence of inputs on the event. With this capability wrsim assumes that each event stores values of its
     * inputs, and the errors of results after an event are unknown. */
    WRSIM_CAP_NO_PROBE = 1 << 5,
    /* The model keeps its modes itself. An example is an adapter to another program. The callbacks ignore point->mode, and show the new
     * branch after event() only. If inputs jump and change the sign of an indicator, outputs with an entry of WRSIM_U_Y have no valid value
     * until event(). Until then no other subsystem reads these values, and indicators that read these values keep their modes. Without this
     * capability callbacks must show the new branch as soon as point->mode changes. */
    WRSIM_CAP_OWN_MODES = 1 << 6,
    /* event() does not read point->w, which may be NULL. wrsim then does not call algebra() only for event(), neither before an event that
     * changes d nor before the repetitions above. */
    WRSIM_CAP_EVENT_WITHOUT_W = 1 << 7,
    /* The model cannot return to an earlier point. With a stepper its subsystem integrates each window once, after the sweeps of all other
     * subsystems have converged with its predicted outputs. Without a stepper, in a run that repeats windows, the model has no events, and
     * wrsim calls step_completed() after the window only. A run with such a model has no checkpoints. */
    WRSIM_CAP_CANNOT_RESTORE = 1 << 2,
    /* Only steppers may claim the capabilities below. */
    WRSIM_CAP_COMMUNICATION_STEPS = 1 << 3, /* the model advances by communication steps only */
    WRSIM_CAP_OWN_THREAD = 1 << 4 /* one thread must make all calls; wrsim refuses the model */
};

/* A step of a stepper, from t_s to end_s. */
typedef struct wrsim_step {
    double t_s;          /* start of the step, s */
    double end_s;        /* end of the step, s */
    const double *u;     /* [n_input] inputs at the start, as limits from inside the step */
    const double *u_end; /* [n_input] inputs at the end, as limits from inside the step */
    /* Writes the inputs at a time in the step to ret_u[n_input], and their slopes, 1/s, to ret_slope[n_input] (NULL: no slopes). Only
     * advance() may call this function. */
    void (*input)(const struct wrsim_step *, double t_s, double *ret_u, double *ret_slope);
    const void *host; /* private data of wrsim */
    /* If advance() ends the step before end_s, advance() writes the end. The end is after t_s, or at t_s with the request
     * WRSIM_ENTER_EVENT. */
    double *ret_end_s;
} wrsim_step;

/* Callbacks of a model that advances itself. Unused members are NULL. */
typedef struct wrsim_stepper {
    uint32_t struct_size; /* sizeof(wrsim_stepper) */
    /* Required. Advances the instance from t_s to end_s. May write the slopes of outputs at the end, 1/s, to ret_slope[n_output]. wrsim
     * writes NaN before the call; a NaN after the call means the mean slope of the step. A positive return value requests a smaller step,
     * which wrsim tries with a shorter window. With event(), the return value WRSIM_ENTER_EVENT requests an event at the end of the
     * step. */
    int (*advance)(wrsim_instance *, const wrsim_step *, double *ret_slope);
    /* Optional. wrsim calls the function at the start of each step and at the end of each window, with the inputs after their jumps. Calls
     * at the start of the run and after a request of advance() have the inputs before their jumps. If the function makes an event, the
     * return value is WRSIM_ENTER_EVENT, and all outputs and their slopes may jump. point->t_s and point->u are valid. */
    int (*event)(wrsim_instance *, const wrsim_point *);
} wrsim_stepper;

/* Copies of an own state, for rollback. A slot holds one copy; slots have the numbers 0 to WRSIM_SLOTS - 1. */
enum { WRSIM_SLOTS = 3 };

/* Own state of a model: state of an instance outside of x, d and instance->memory. Per window wrsim calls keep() once, and go_back() once
 * per repeated integration. If windows begin ahead, each begun window adds two calls of keep(), and two of go_back() at most. After a
 * failure of one of the functions the run ends with an error. */
typedef struct wrsim_own_state {
    uint32_t struct_size; /* sizeof(wrsim_own_state) */
    /* Required. Copies the present own state to the slot, in place of the slot's last copy. */
    int (*keep)(wrsim_instance *, int slot);
    /* Required. Sets the own state to the slot's copy, any number of times. */
    int (*go_back)(wrsim_instance *, int slot);
    /* Required. Frees the slot's copy. wrsim calls forget() for each slot in use, before done(). */
    void (*forget)(wrsim_instance *, int slot);
    /* Optional, with write() and read(): returns the number of bytes of a written own state. wrsim asks for the number once after init(),
     * and the number must not change until done(). A run with an own state without bytes has no checkpoints and no snapshots. */
    size_t (*bytes)(wrsim_instance *);
    /* Optional: writes the own state to n_bytes bytes without alignment, for a checkpoint or a snapshot. */
    int (*write)(wrsim_instance *, void *to, size_t n_bytes);
    /* Optional: sets the own state from bytes that write() has written, also in another process. */
    int (*read)(wrsim_instance *, const void *from, size_t n_bytes);
} wrsim_own_state;

/* Descriptor of a model: constants, and the functions that wrsim calls. */
typedef struct wrsim_model {
    uint32_t abi;                 /* WRSIM_MODEL_ABI */
    uint32_t struct_size;         /* sizeof(wrsim_model) */
    const char *name;             /* unique, such as "engine.cylinder" */
    const char *description;      /* one line of description for users */
    uint32_t caps;                /* sum of the capabilities, such as WRSIM_CAP_RT_SAFE */
    int n_param;                  /* length of params */
    const wrsim_variable *params; /* [n_param] with defaults and limits */

    /* Required. instance->param is valid, data is not yet valid. */
    int (*describe)(wrsim_instance *, wrsim_description *);
    /* Optional: sets data and memory. x and d have the start values of the description or config, and init() may change x and d. */
    int (*init)(wrsim_instance *, double t_s, double *x, double *d);
    /* Required with states: computes f, which is dx/dt without a mass matrix. */
    int (*rhs)(wrsim_instance *, const wrsim_point *, double *ret_dx);
    /* Required with outputs that lack WRSIM_IS_STATE: computes y. point->w is not available. */
    int (*output)(wrsim_instance *, const wrsim_point *, double *ret_y);
    /* Required if n_w > 0: computes w. */
    int (*algebra)(wrsim_instance *, const wrsim_point *, double *ret_w);
    /* Required with indicators: computes z. */
    int (*indicator)(wrsim_instance *, const wrsim_point *, double *ret_z);
    /* Optional: changes x and d in place. At the call x and d have the values before the event. May return WRSIM_TERMINATE. */
    int (*event)(wrsim_instance *, const wrsim_point *, const wrsim_event *, double *x, double *d);
    /* Optional: returns the time of the next time event, > t_s, or INFINITY. The time must depend on t_s, d and memory only. */
    double (*next_time)(wrsim_instance *, const wrsim_point *);
    /* Optional: writes df/dx, column-major [n_state * n_state], all entries. */
    int (*jacobian)(wrsim_instance *, const wrsim_point *, double *ret_jac);

    const void *user; /* private data of the provider, such as a loader; passed to each instance */
    /* Optional instead of jacobian(), with WRSIM_X_X declared: writes the values of all declared entries of df/dx, column by column with
     * increasing rows. An entry that was declared twice appears once. */
    int (*jacobian_sparse)(wrsim_instance *, const wrsim_point *, double *ret_value);
    /* Optional: wrsim calls the function after the solver has accepted the step that ends at this point. May change memory and own state
     * only. May return WRSIM_ENTER_EVENT. */
    int (*step_completed)(wrsim_instance *, const wrsim_point *);
    /* Optional: directional derivatives with constant modes and d. tangent() writes f_x x_change + f_u u_change to ret_dx[n_state].
     * tangent_output() writes g_x x_change + g_u u_change to ret_dy[n_output], except outputs with WRSIM_IS_STATE. wrsim uses tangents
     * instead of finite differences for missing Jacobians and for error propagation. For this all models with states in the subsystem need
     * tangent(), and all models whose outputs act on derivatives need tangent_output(), except models without inputs and states. After a
     * non-zero return wrsim uses differences at this point. */
    int (*tangent)(wrsim_instance *, const wrsim_point *, const double *x_change,
                   const double *u_change, double *ret_dx);
    /* Optional: directional derivative of g; see tangent. */
    int (*tangent_output)(wrsim_instance *, const wrsim_point *, const double *x_change,
                          const double *u_change, double *ret_dy);
    /* Optional: frees resources that init() has acquired. */
    void (*done)(wrsim_instance *);
    /* Callbacks of a model that advances itself (see "Steppers" above), or NULL. */
    const wrsim_stepper *stepper;
    /* Callbacks of a model with an own state (see "Own state" above), or NULL. */
    const wrsim_own_state *own_state;
    /* Optional, without a stepper: computes start values of x and d from the inputs of the point, before the initial event. wrsim repeats
     * the call until the start values no longer change, because inputs may depend on the start values of other components. At the call x
     * and d have the values of init() or of the last call. The results must depend on inputs, parameters and results of init() only. */
    int (*init_from_inputs)(wrsim_instance *, const wrsim_point *, double *x, double *d);
} wrsim_model;

/* Type of the only symbol that a plug-in exports. The function returns the models of the plug-in, ended by NULL, constant and owned by the
 * plug-in. abi is WRSIM_MODEL_ABI of the host; the function returns NULL to refuse this version. */
typedef const wrsim_model *const *(*wrsim_plugin_models_fn)(uint32_t abi);
#define WRSIM_PLUGIN_SYMBOL "wrsim_plugin_models" /* name of the symbol that a plug-in exports */

#ifdef __cplusplus
}
#endif
#endif
