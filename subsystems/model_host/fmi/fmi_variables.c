/* Variables of an FMU as variables of a model. See fmi_variables.h. Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/fmi_variables.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "subsystems/model_host/descriptor.h"

enum { NAME_BYTES = 640 /* longer than any name that wrsim takes (WR_MODEL_MOST_NAME) */ };

int wr_fmi_variables_is_number(const wr_fmi_variable *v)
{
    return v->type != WR_FMI_STRING && v->type != WR_FMI_BINARY && v->type != WR_FMI_CLOCK;
}

double wr_fmi_variables_start(const wr_fmi_variable *v, int64_t k)
{
    return v->start && v->n_start > 0 ? v->start[v->n_start > 1 ? k : 0] : 0.0;
}

static int is_discrete(const wr_fmi_variable *v) { return v->variability != WR_FMI_CONTINUOUS; }

/* Writes the name of element k of an array, such as "a[2,1]", and of a scalar. */
static void name_element(const wr_fmi_variable *v, int64_t k, char *ret, size_t n_bytes)
{
    size_t n = (size_t)snprintf(ret, n_bytes, "%s", v->name);
    int64_t rest = v->n_element;
    for (int i = 0; i < v->n_dimension && n < n_bytes; i++) {
        rest /= v->dimension[i].size; /* the last index changes first (FMI 3.0, section 2.2.6.1) */
        n += (size_t)snprintf(ret + n, n_bytes - n, "%s%" PRId64, i ? "," : "[", k / rest + 1);
        k %= rest;
    }
    if (v->n_dimension > 0 && n < n_bytes)
        snprintf(ret + n, n_bytes - n, "]");
}

/* Returns the variable of an element, whose name is in name. */
static wrsim_variable element_of(const wr_fmi_variable *v, int64_t k, char *name, size_t n_bytes)
{
    name_element(v, k, name, n_bytes);
    const double nominal = v->quantity.nominal;
    return (wrsim_variable){.name = name,
                            .unit = v->unit,
                            .description = v->description,
                            .start = wr_fmi_variables_start(v, k),
                            .nominal = nominal > 1.0 || nominal < 1.0 ? nominal : 0.0};
}

int wr_fmi_variables_declare(const wr_fmi_variables *of, wrsim_description *to, wrsim_kind kind,
                             const wr_fmi_values *list)
{
    for (int i = 0; i < list->n_variable; i++) {
        const wr_fmi_variable *const v = &of->description->variable[list->variable[i]];
        const int n = list->first[i + 1] - list->first[i];
        for (int k = 0; k < n; k++) {
            char name[NAME_BYTES];
            wrsim_variable element = element_of(v, k, name, sizeof name);
            const int state = of->state_of[list->variable[i]];
            if (kind == WRSIM_OUTPUT && state >= 0) {
                element.flags = WRSIM_IS_STATE;
                element.index = state + k;
            } else if (kind == WRSIM_OUTPUT && is_discrete(v))
                element.flags = WRSIM_DISCONTINUOUS;
            if (kind == WRSIM_STATE && v->initial == WR_FMI_CALCULATED)
                element.flags = WRSIM_COMPUTED_START;
            if (to->add(to, kind, &element))
                return -1;
        }
    }
    return 0;
}

/* Adds variable i of the description. row: in ModelStructure; -1: none. */
static void list_add(const wr_fmi_variables *of, wr_fmi_values *list, int i, int row)
{
    list->row[list->n_variable] = row;
    list->variable[list->n_variable++] = i;
    list->n_value += (int)of->description->variable[i].n_element;
    list->first[list->n_variable] = list->n_value;
}

static int list_begin(wr_fmi_variables *of, wr_fmi_values *list, int most)
{
    list->variable = WR_NEW_ARRAY(of->arena, int, most);
    list->first = WR_NEW_ARRAY(of->arena, int, most + 1);
    list->row = WR_NEW_ARRAY(of->arena, int, most);
    return list->variable && list->first && list->row ? 0 : -1;
}

/* Makes the block of one type, without outputs that are states. Inputs have a block of continuous and a block of discrete variables. */
static int make_block(wr_fmi_variables *of, wr_fmi_values *list, wr_fmi_type type, int of_discrete)
{
    const wr_fmi_variable *const all = of->description->variable;
    const int is_output = list == &of->output;
    wr_fmi_block b = {.type = type, .is_direct = 1, .is_discrete = of_discrete};
    b.number = WR_NEW_ARRAY(of->arena, uint32_t, list->n_variable);
    b.place = WR_NEW_ARRAY(of->arena, int, list->n_value);
    if (!b.number || !b.place)
        return -1;
    for (int i = 0; i < list->n_variable; i++) {
        const int variable = list->variable[i];
        if (all[variable].type != type ||
            (is_output ? of->state_of[variable] >= 0 : is_discrete(&all[variable]) != of_discrete))
            continue;
        b.number[b.n_number++] = all[variable].number;
        for (int k = list->first[i]; k < list->first[i + 1]; k++) {
            b.is_direct &= k == b.n_value;
            b.place[b.n_value++] = k;
        }
    }
    if (b.n_value > of->most_values)
        of->most_values = b.n_value;
    if (b.n_number > 0)
        list->block[list->n_block++] = b;
    return 0;
}

static int make_blocks(wr_fmi_variables *of, wr_fmi_values *list)
{
    const int n_kind = list == &of->input ? 2 : 1;
    list->block = WR_NEW_ARRAY(of->arena, wr_fmi_block, WR_FMI_TYPE_COUNT * n_kind);
    int rc = list->block ? 0 : -1;
    for (int type = 0; type < WR_FMI_TYPE_COUNT; type++)
        for (int kind = 0; rc == 0 && kind < n_kind; kind++)
            rc = make_block(of, list, (wr_fmi_type)type, kind);
    return rc;
}

/* Returns the index of the first variable with the same value. */
static int first_of(const wr_description *d, int i)
{
    return d->variable[i].alias_of >= 0 ? d->variable[i].alias_of : i;
}

/* Lists the variables. Returns 0, or -1 when out of memory. */
static int list_variables(wr_fmi_variables *of, wr_fmi_kind kind)
{
    const wr_description *const d = of->description;
    wr_fmi_values *const lists[] = {&of->state, &of->input, &of->output, &of->param,
                                    &of->indicator};
    for (size_t i = 0; i < WR_COUNT_OF(lists); i++)
        if (list_begin(of, lists[i], d->n_variable) < 0)
            return -1;
    of->state_of = WR_NEW_ARRAY(of->arena, int, d->n_variable);
    of->input_of = WR_NEW_ARRAY(of->arena, int, d->n_variable);
    if (!of->state_of || !of->input_of)
        return -1;
    for (int i = 0; i < d->n_variable; i++)
        of->state_of[i] = of->input_of[i] = -1;
    const wr_fmi_list *const derivatives = &d->list[WR_FMI_DERIVATIVES];
    for (int i = 0; kind == WR_FMI_ME && i < derivatives->n_row; i++) {
        const int state = d->variable[derivatives->row[i].variable].derivative_of;
        of->state_of[first_of(d, state)] = of->state.n_value;
        list_add(of, &of->state, state, i);
    }
    for (int i = 0; i < d->n_variable; i++) {
        const wr_fmi_variable *const v = &d->variable[i];
        if (v->causality == WR_FMI_INPUT && wr_fmi_variables_is_number(v) &&
            !wr_description_is_second_input(d, i)) {
            of->input_of[first_of(d, i)] = of->input.n_value;
            list_add(of, &of->input, i, -1);
        }
        if (v->causality == WR_FMI_PARAMETER && wr_fmi_variables_is_number(v) &&
            v->variability != WR_FMI_CONSTANT)
            list_add(of, &of->param, i, -1);
    }
    for (int i = 0; i < d->n_variable; i++) {
        of->state_of[i] = of->state_of[first_of(d, i)];
        of->input_of[i] = of->input_of[first_of(d, i)];
    }
    for (int i = 0; i < d->list[WR_FMI_OUTPUTS].n_row; i++) {
        const int output = d->list[WR_FMI_OUTPUTS].row[i].variable;
        if (wr_fmi_variables_is_number(&d->variable[output]))
            list_add(of, &of->output, output, i);
        /* In FMI 3.0 the row also stands for the further names of an output, which follow the output. */
        for (int k = output + 1; d->version > 2 && k < d->n_variable; k++)
            if (d->variable[k].alias_of != output)
                break;
            else if (wr_fmi_variables_is_number(&d->variable[k]))
                list_add(of, &of->output, k, i);
    }
    for (int i = 0; kind == WR_FMI_ME && i < d->list[WR_FMI_EVENT_INDICATORS].n_row; i++)
        list_add(of, &of->indicator, d->list[WR_FMI_EVENT_INDICATORS].row[i].variable, i);
    return 0;
}

/* Copies a text to the arena. */
static const char *copy_text(wr_fmi_variables *of, const char *text)
{
    char *const copy = WR_NEW_ARRAY(of->arena, char, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

int wr_fmi_variables_has_names(const wr_description *description, const wr_fmi_variable *v,
                               double start)
{
    enum { MOST_CHOICES = 999 /* of a parameter (descriptor.c) */ };
    if (v->type != WR_FMI_ENUMERATION)
        return 0;
    const wr_fmi_declared_type *const type = &description->type[v->declared_type];
    int has_start = 0;
    if (type->n_item < 1 || type->n_item > MOST_CHOICES)
        return 0;
    for (int i = 0; i < type->n_item; i++) {
        if (!wr_model_is_name(type->item[i].name, ".-"))
            return 0;
        has_start |= type->item[i].value <= start && type->item[i].value >= start;
    }
    return has_start;
}

/* Gives a parameter the names of its enumeration if wrsim allows the names as choices. */
static int add_choices(wr_fmi_variables *of, const wr_fmi_variable *v, wrsim_variable *p)
{
    if (!wr_fmi_variables_has_names(of->description, v, p->start))
        return 0;
    const wr_fmi_declared_type *const type = &of->description->type[v->declared_type];
    const char **const choices = WR_NEW_ARRAY(of->arena, const char *, type->n_item + 1);
    int start = 0;
    if (!choices)
        return -1;
    for (int i = 0; i < type->n_item; i++) {
        choices[i] = type->item[i].name;
        if (type->item[i].value <= p->start && type->item[i].value >= p->start)
            start = i;
    }
    *p = (wrsim_variable){
        .name = p->name, .description = p->description, .start = start, .choices = choices};
    return 0;
}

/* Describes the parameters. Returns 0, or -1 when out of memory. */
static int make_parameters(wr_fmi_variables *of)
{
    of->param_variable = WR_NEW_ARRAY(of->arena, wrsim_variable, of->param.n_value);
    if (!of->param_variable)
        return -1;
    for (int i = 0; i < of->param.n_variable; i++) {
        const wr_fmi_variable *const v = &of->description->variable[of->param.variable[i]];
        const int first = of->param.first[i], n = of->param.first[i + 1] - first;
        of->most_values = n > of->most_values ? n : of->most_values;
        for (int k = 0; k < n; k++) {
            char name[NAME_BYTES];
            wrsim_variable *const p = &of->param_variable[first + k];
            *p = element_of(v, k, name, sizeof name);
            p->name = copy_text(of, name);
            if (!p->name || add_choices(of, v, p) < 0)
                return -1;
            if (p->choices)
                continue;
            if (v->type == WR_FMI_BOOLEAN) {
                p->flags = WRSIM_BOOLEAN;
                continue;
            }
            if (v->type != WR_FMI_FLOAT64 && v->type != WR_FMI_FLOAT32)
                p->flags = WRSIM_INTEGER;
            if ((isfinite(v->quantity.min) || isfinite(v->quantity.max)) &&
                p->start >= v->quantity.min && p->start <= v->quantity.max) {
                p->min = fmax(v->quantity.min, -DBL_MAX);
                p->max = fmin(v->quantity.max, DBL_MAX);
            }
        }
    }
    return 0;
}

int wr_fmi_variables_create(wr_fmi_variables *variables, const wr_description *description,
                            wr_fmi_kind kind)
{
    static const size_t MOST_BYTES = (size_t)4 << 30;
    *variables =
        (wr_fmi_variables){.description = description, .arena = wr_arena_create(MOST_BYTES)};
    return !variables->arena || list_variables(variables, kind) < 0 ||
                   make_blocks(variables, &variables->input) < 0 ||
                   make_blocks(variables, &variables->output) < 0 || make_parameters(variables) < 0
               ? -1
               : 0;
}

void wr_fmi_variables_clear(wr_fmi_variables *variables) { wr_arena_destroy(&variables->arena); }
