/* Checks the descriptor of a model. See descriptor.h. Thread: any. Real-time: no. */
#include "subsystems/model_host/descriptor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum {
    MAX_PARAMS = 10000,
    MAX_NAME_BYTES = 128,
    MAX_CHOICES = 1000,
    KNOWN_PARAM_FLAGS = WRSIM_REQUIRED | WRSIM_INTEGER | WRSIM_BOOLEAN | WRSIM_TEXT | WRSIM_TUNABLE,
    KNOWN_CAPS = WRSIM_CAP_RT_SAFE | WRSIM_CAP_ONE_INSTANCE | WRSIM_CAP_CANNOT_RESTORE |
                 WRSIM_CAP_COMMUNICATION_STEPS | WRSIM_CAP_OWN_THREAD | WRSIM_CAP_NO_PROBE |
                 WRSIM_CAP_OWN_MODES | WRSIM_CAP_EVENT_WITHOUT_W
};

#define OLD_ABI                                                                                    \
    "the model has ABI %u, but this wrsim has ABI %u; compile the model again with wrsim/model.h " \
    "of this wrsim%s"
/* The change to make in models of ABI 2. */
#define SINCE_ABI_2 ", and move keep() and go_back() of a stepper to wrsim_own_state"

static int refuse(char *ret_text, size_t text_bytes, const char *format, ...) WR_PRINTF(3, 4);

static int refuse(char *ret_text, size_t text_bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ret_text, text_bytes, format, args);
    va_end(args);
    return WRSIM_E_MODEL;
}

int wr_model_is_name(const char *name, const char *extra)
{
    size_t i = 0;
    for (; i < MAX_NAME_BYTES && name[i]; i++) {
        const char c = name[i];
        const int is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const int is_digit = c >= '0' && c <= '9';
        if (!is_letter && (i == 0 || (!is_digit && !strchr(extra, c))))
            return 0;
    }
    return i > 0 && i < MAX_NAME_BYTES;
}

int wr_model_is_variable_name(const char *name)
{
    const size_t n = strnlen(name, WR_MODEL_MOST_NAME + 1);
    if (n == 0 || n > WR_MODEL_MOST_NAME || !wr_utf8_is_valid(name))
        return 0;
    for (const char *c = name; *c; c += wr_utf8_length(c))
        if (wr_utf8_is_control(c))
            return 0;
    return 1;
}

/* Returns the error in a parameter's type, or NULL. Needs a finite default and finite limits. */
static const char *check_type(const wrsim_variable *p)
{
    const int n_type = ((p->flags & WRSIM_INTEGER) != 0) + ((p->flags & WRSIM_BOOLEAN) != 0) +
                       ((p->flags & WRSIM_TEXT) != 0) + (p->choices != NULL);
    if (n_type > 1)
        return "has several types at once; keep one type";
    if (p->text && !(p->flags & WRSIM_TEXT))
        return "has a text but not the flag WRSIM_TEXT; set the flag";
    if (n_type == 0 || (p->flags & WRSIM_INTEGER))
        return NULL;
    if (p->flags & WRSIM_TUNABLE)
        return "is tunable, but not a number; remove WRSIM_TUNABLE";
    int n_choice = p->flags & WRSIM_BOOLEAN ? 2 : 1; /* the only value of a text is 0 */
    if (p->choices) {
        for (n_choice = 0; n_choice < MAX_CHOICES && p->choices[n_choice]; n_choice++) {
            if (!wr_model_is_name(p->choices[n_choice], ".-"))
                return "has a choice that is not a valid name; use a letter or _, then letters, "
                       "digits, '.', '-' and _, at most 127 characters";
            for (int j = 0; j < n_choice; j++)
                if (strcmp(p->choices[j], p->choices[n_choice]) == 0)
                    return "has the same choice twice; remove one of the two";
        }
        if (n_choice == 0)
            return "has no choices; add a choice before the final NULL";
        if (n_choice == MAX_CHOICES)
            return "has 1000 choices or more; end the list with NULL, or remove choices";
    }
    if (p->min < 0 || p->min > 0 || p->max < 0 || p->max > 0)
        return "has limits, but is not a number; remove the limits";
    if (!(p->start >= 0.0) || !(p->start < n_choice) || p->start > rint(p->start) ||
        p->start < rint(p->start))
        return "has a default that is not a value of its type; correct the default";
    return NULL;
}

static int check_param(const wrsim_model *model, int i, char *ret_text, size_t text_bytes)
{
    const wrsim_variable *const p = &model->params[i];
    if (!p->name || !wr_model_is_variable_name(p->name))
        return refuse(ret_text, text_bytes,
                      "parameter %d of model '%s' has no valid name; " WR_MODEL_NAME_RULE, i,
                      model->name);
    for (int j = 0; j < i; j++)
        if (strcmp(model->params[j].name, p->name) == 0)
            return refuse(ret_text, text_bytes,
                          "parameter '%s' of model '%s' is declared twice; remove one of the two "
                          "declarations",
                          p->name, model->name);
    if (p->flags & ~(unsigned)KNOWN_PARAM_FLAGS)
        return refuse(
            ret_text, text_bytes,
            "parameter '%s' of model '%s' has unknown flags 0x%x; set only flags of wrsim/model.h",
            p->name, model->name, p->flags);
    if (!isfinite(p->start) || !isfinite(p->min) || !isfinite(p->max))
        return refuse(ret_text, text_bytes,
                      "parameter '%s' of model '%s' has a default or limits that are not finite; "
                      "give finite numbers",
                      p->name, model->name);
    if (p->min > p->max) /* a missing limit is 0 */
        return refuse(ret_text, text_bytes,
                      "parameter '%s' of model '%s' has min = %g above max = %g (0 if missing); "
                      "correct min or max",
                      p->name, model->name, p->min, p->max);
    const char *const reason = check_type(p);
    if (reason)
        return refuse(ret_text, text_bytes, "parameter '%s' of model '%s' %s", p->name, model->name,
                      reason);
    const int is_required = (p->flags & WRSIM_REQUIRED) != 0;
    const int is_limited = p->min < 0 || p->min > 0 || p->max < 0 || p->max > 0;
    if (!is_required && is_limited && (p->start < p->min || p->start > p->max))
        return refuse(ret_text, text_bytes,
                      "parameter '%s' of model '%s' has a default outside its own limits; correct "
                      "the default",
                      p->name, model->name);
    return WRSIM_OK;
}

/* Returns the fault of a model with a stepper; NULL: none. */
static const char *check_stepper(const wrsim_model *model)
{
    const wrsim_stepper *const stepper = model->stepper;
    if (!stepper)
        return NULL;
    if (stepper->struct_size < sizeof *stepper)
        return "has a wrsim_stepper that is too small; set struct_size, and compile the model "
               "again";
    if (!stepper->advance)
        return "has a wrsim_stepper without advance(); add advance()";
    if (model->init_from_inputs)
        return "has a wrsim_stepper and init_from_inputs(); remove init_from_inputs()";
    if (model->next_time && (model->caps & WRSIM_CAP_COMMUNICATION_STEPS))
        return "declares WRSIM_CAP_COMMUNICATION_STEPS, but has next_time(); remove the capability "
               "or next_time()";
    if (model->caps & WRSIM_CAP_OWN_THREAD)
        return "declares WRSIM_CAP_OWN_THREAD, but workers change from window to window; remove "
               "this capability";
    return NULL;
}

/* Returns the fault of a model with an own state; NULL: none. */
static const char *check_own_state(const wrsim_model *model)
{
    const wrsim_own_state *const own = model->own_state;
    if (!own)
        return NULL;
    if (own->struct_size < sizeof *own)
        return "has a wrsim_own_state that is too small; set struct_size, and compile the model "
               "again";
    if (!own->keep || !own->go_back || !own->forget)
        return "has a wrsim_own_state without keep(), go_back() or forget(); give all three";
    if (!own->bytes != !own->write || !own->write != !own->read)
        return "has only some of bytes(), write() and read(); give all three, or none";
    if (model->caps & WRSIM_CAP_CANNOT_RESTORE)
        return "declares WRSIM_CAP_CANNOT_RESTORE, but has a wrsim_own_state; remove the "
               "capability or the own state";
    return NULL;
}

int wr_model_check(const wrsim_model *model, char *ret_text, size_t text_bytes)
{
    if (!model)
        return refuse(ret_text, text_bytes,
                      "the model's descriptor is missing; give the address of a wrsim_model");
    const char *const name =
        model->name && wr_model_is_name(model->name, ".") ? model->name : "without a name";
    if (model->abi == 0)
        return refuse(ret_text, text_bytes, "model '%s' has .abi = 0; set .abi = WRSIM_MODEL_ABI",
                      name);
    if (model->abi == WRSIM_MODEL_ABI && model->struct_size == 0)
        return refuse(ret_text, text_bytes,
                      "model '%s' has .struct_size = 0; set .struct_size = sizeof(wrsim_model)",
                      name);
    if (model->abi != WRSIM_MODEL_ABI)
        return refuse(ret_text, text_bytes, OLD_ABI, (unsigned)model->abi, WRSIM_MODEL_ABI,
                      model->abi == 2 ? SINCE_ABI_2 : "");
    if (model->struct_size < WR_MODEL_LEAST_BYTES)
        return refuse(ret_text, text_bytes,
                      "a model's descriptor has %u bytes instead of %u; compile the model again",
                      (unsigned)model->struct_size, (unsigned)sizeof(wrsim_model));
    if (!model->name || !wr_model_is_name(model->name, "."))
        return refuse(ret_text, text_bytes,
                      "a model has no valid name; use a letter or _, then letters, digits, '.' and "
                      "_, at most 127 characters");
    if (model->caps & ~(uint32_t)KNOWN_CAPS)
        return refuse(
            ret_text, text_bytes,
            "model '%s' declares unknown capabilities 0x%x; set only capabilities of wrsim/model.h",
            model->name, (unsigned)model->caps);
    if (model->jacobian && model->jacobian_sparse)
        return refuse(ret_text, text_bytes,
                      "model '%s' has two Jacobians; remove jacobian() or jacobian_sparse()",
                      model->name);
    const char *const stepper_fault = check_stepper(model);
    const char *const fault = stepper_fault ? stepper_fault : check_own_state(model);
    if (fault)
        return refuse(ret_text, text_bytes, "model '%s' %s", model->name, fault);
    if (!model->describe)
        return refuse(ret_text, text_bytes, "model '%s' has no describe callback; add describe()",
                      model->name);
    if (model->n_param < 0 || model->n_param > MAX_PARAMS)
        return refuse(ret_text, text_bytes, "model '%s' has n_param = %d; set a value from 0 to %d",
                      model->name, model->n_param, MAX_PARAMS);
    if (model->n_param > 0 && !model->params)
        return refuse(ret_text, text_bytes,
                      "model '%s' has parameters but no parameter table; set params", model->name);
    if (model->n_param == 0 && model->params)
        return refuse(ret_text, text_bytes,
                      "model '%s' has params, but n_param = 0; set n_param to the number of "
                      "parameters",
                      model->name);
    for (int i = 0; i < model->n_param; i++) {
        const int rc = check_param(model, i, ret_text, text_bytes);
        if (rc < 0)
            return rc;
    }
    return WRSIM_OK;
}
