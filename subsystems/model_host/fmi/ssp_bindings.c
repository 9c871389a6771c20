/* Applies parameter bindings. See ssp_bindings.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_bindings.h"

#include <string.h>

#include "subsystems/model_host/fmi/ssp_sources.h"
#include "subsystems/model_host/fmi/ssp_units.h"
#include "subsystems/model_host/fmi/ssp_values.h"

enum { MOST_VALUES = 1000000 /* values of all parameter bindings (assumed) */ };

/* Opens the parameter set or mapping of a binding. Returns the file with the set or mapping, or NULL with the reason in err. */
static const wr_ssp_opened *open_source(const wr_ssp_flattener *f, const wr_ssp_opened *in,
                                        int line, const wr_ssp_source *source, wr_ssp_kind kind,
                                        const char *fmu)
{
    static const char *const types[] = {"", "application/x-ssp-parameter-set",
                                        "application/x-ssp-parameter-mapping"};
    if (source->type && strcmp(source->type, types[kind]) != 0) {
        wr_ssp_parts_fail(
            f, in, line,
            "a parameter binding has the type '%.*s', and wrsim reads '%s' only; convert the file",
            WR_SSP_QUOTED, source->type, types[kind]);
        return NULL;
    }
    if (!source->path)
        return in;
    if (source->is_in_component && !fmu) {
        wr_ssp_parts_fail(
            f, in, line,
            "only a component with an FMU can have sourceBase=\"component\"; remove the attribute");
        return NULL;
    }
    const char *const base =
        source->is_in_component ? wr_ssp_parts_format(f, "%s/", fmu) : in->base;
    const char *const path =
        base ? wr_ssp_sources_resolve(f, in, line, source->path, base, NULL) : NULL;
    const wr_ssp_opened *const o = path ? wr_ssp_sources_open(f, kind, path) : NULL;
    if (!o && path)
        wr_ssp_sources_fail(f, in, line, "parameter binding",
                            kind == WR_SSP_SSV ? "values" : "mapping", source->path);
    return o;
}

/* Refuses a mapping with two entries of one target. */
static int check_targets(const wr_ssp_flattener *f, const wr_ssp_opened *in,
                         const wr_ssp_mapping *m)
{
    wr_named *const target = wr_ssp_parts_place(f, (size_t)m->n_entry + 1, sizeof *target);
    if (!target)
        return -1;
    for (int i = 0; i < m->n_entry; i++)
        target[i] = (wr_named){m->entry[i].target, i};
    wr_names_sort(target, m->n_entry);
    for (int i = 1; i < m->n_entry; i++)
        if (strcmp(target[i - 1].name, target[i].name) == 0)
            return wr_ssp_parts_fail(
                f, in, m->entry[target[i].number].line,
                "the mapping has two entries for the target '%.*s'; remove one of them",
                WR_SSP_QUOTED, target[i].name);
    return 0;
}

/* The values of a binding, by their names with the prefix. */
typedef struct bound {
    wr_ssp_assigned *value;
    wr_named *name; /* sorted */
    int n;
} bound;

/* Counts over all bindings. */
typedef struct counts {
    int n_value, n_binding;
} counts;

/* Lists the values of a set under their names with the prefix. */
static int list_values(const wr_ssp_flattener *f, const wr_ssp_opened *in, const wr_ssp_set *set,
                       const char *prefix, counts *n, bound *ret)
{
    ret->n = set->n_value;
    if (ret->n > MOST_VALUES - n->n_value)
        return wr_ssp_parts_fail(f, in, 0,
                                 "the parameter bindings have more than %d values; remove bindings",
                                 MOST_VALUES);
    n->n_value += ret->n;
    n->n_binding++;
    ret->name = wr_ssp_parts_place(f, (size_t)ret->n + 1, sizeof *ret->name);
    ret->value = wr_ssp_parts_place(f, (size_t)ret->n + 1, sizeof *ret->value);
    if (!ret->name || !ret->value)
        return -1;
    for (int i = 0; i < ret->n; i++) {
        const wr_ssp_value *const v = &set->value[i];
        ret->value[i] = (wr_ssp_assigned){
            .in = in,
            .line = v->line,
            .name = v->name,
            .full = *prefix ? wr_ssp_parts_format(f, "%s%s", prefix, v->name) : v->name,
            .type = v->type,
            .number = v->number,
            .text = v->text,
            .binding = n->n_binding,
            .unit = wr_ssp_units_find(set->scope.unit, set->scope.n_unit, v->unit)};
        ret->name[i] = (wr_named){ret->value[i].full, i};
        if (!ret->value[i].full)
            return -1;
    }
    wr_names_sort(ret->name, ret->n);
    for (int i = 1; i < ret->n; i++)
        if (strcmp(ret->name[i - 1].name, ret->name[i].name) == 0)
            return wr_ssp_parts_fail(
                f, in, ret->value[ret->name[i].number].line,
                "the parameter set has two values for '%.*s'; remove one of them", WR_SSP_QUOTED,
                ret->name[i].name);
    return 0;
}

/* Notes that no variable has the name `name`, which is in line `line` of the file `in`. */
static int note_lost(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line, int i_instance,
                     const char *name)
{
    return wr_ssp_parts_note(
        f, in, line,
        "no variable of '%s' takes the value for '%s'; correct the name, or remove the value",
        wr_ssp_parts_path(&f->p->instance[i_instance]), name);
}

/* Applies the values under their own names. */
static int apply_values(const wr_ssp_flattener *f, int i_instance, const bound *all)
{
    static const wr_ssp_change none = {.kind = WR_SSP_NO_CHANGE};
    static const wr_ssp_transfer plain = {.change = &none};
    for (int i = 0; i < all->n; i++) {
        const wr_ssp_assigned *const a = &all->value[i];
        const int n = wr_ssp_values_apply(f, a, i_instance, a->full, &plain);
        if (n < 0 || (n == 0 && note_lost(f, a->in, a->line, i_instance, a->full) < 0))
            return -1;
    }
    return 0;
}

/* Applies the values that a mapping names. in: file of the mapping. */
static int apply_mapping(const wr_ssp_flattener *f, int i_instance, const wr_ssp_opened *in,
                         const wr_ssp_mapping *m, const bound *all)
{
    for (int i = 0; i < m->n_entry; i++) {
        const wr_ssp_mapping_entry *const e = &m->entry[i];
        const wr_ssp_transfer by = {&e->change, in, e->is_unconverted};
        const int k = wr_names_find(all->name, all->n, e->source, strlen(e->source));
        if (k < 0) {
            if (wr_ssp_parts_note(f, in, e->line,
                                  "the mapping names '%s', but the parameter set has no such "
                                  "value; correct the name, or remove the entry",
                                  e->source) < 0)
                return -1;
            continue;
        }
        wr_ssp_assigned *const a = &all->value[k];
        a->is_used = 1;
        const int n = wr_ssp_values_apply(f, a, i_instance, e->target, &by);
        if (n < 0 || (n == 0 && note_lost(f, in, e->line, i_instance, e->target) < 0))
            return -1;
    }
    for (int i = 0; i < all->n; i++)
        if (!all->value[i].is_used &&
            wr_ssp_parts_note(f, all->value[i].in, all->value[i].line,
                              "the mapping of '%s' does not name the value '%s'; add an entry, or "
                              "remove the value",
                              wr_ssp_parts_path(&f->p->instance[i_instance]),
                              all->value[i].full) < 0)
            return -1;
    return 0;
}

static int apply_binding(const wr_ssp_flattener *f, int i_instance, const wr_ssp_opened *in,
                         const wr_ssp_binding *b, counts *n)
{
    const int c = f->p->instance[i_instance].component;
    const char *const fmu = c >= 0 ? f->s->component[c].fmu : NULL;
    if (!b->set.path && b->set.i_inline < 0)
        return wr_ssp_parts_fail(f, in, b->line,
                                 "the parameter binding has no values; add a source");
    if (b->has_mapping && !b->mapping.path && b->mapping.i_inline < 0)
        return wr_ssp_parts_fail(f, in, b->line,
                                 "the mapping of the parameter binding has no entries; remove it");
    const wr_ssp_opened *const values = open_source(f, in, b->line, &b->set, WR_SSP_SSV, fmu);
    const wr_ssp_opened *const mapping =
        !values || !b->has_mapping ? values
                                   : open_source(f, in, b->line, &b->mapping, WR_SSP_SSM, fmu);
    bound all = {0};
    if (!values || !mapping ||
        list_values(f, values, &values->file->set[b->set.path ? 0 : b->set.i_inline], b->prefix, n,
                    &all) < 0)
        return -1;
    if (b->has_mapping) {
        const wr_ssp_mapping *const m =
            &mapping->file->mapping[b->mapping.path ? 0 : b->mapping.i_inline];
        return check_targets(f, mapping, m) < 0 ? -1
                                                : apply_mapping(f, i_instance, mapping, m, &all);
    }
    return apply_values(f, i_instance, &all);
}

/* Applies the bindings. Inner instances come first, so that values of outer instances replace values of inner
 * instances. */
int wr_ssp_bindings_apply(const wr_ssp_flattener *f)
{
    counts n = {0};
    for (int k = f->p->n_instance - 1; k >= 0; k--) {
        const wr_ssp_instance *const i = &f->p->instance[k];
        for (int b = 0; b < i->element->n_binding; b++)
            if (apply_binding(f, k, i->file, &i->element->binding[b], &n) < 0)
                return -1;
        for (int b = 0; i->outer && b < i->outer->n_binding; b++)
            if (apply_binding(f, k, i->outer_file, &i->outer->binding[b], &n) < 0)
                return -1;
    }
    return wr_ssp_values_store(f);
}
