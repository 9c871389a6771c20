/* Lists the instances of a system. See ssp_instances.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_instances.h"

#include <string.h>

#include "subsystems/model_host/fmi/ssp_sources.h"

enum {
    MOST_INSTANCES = 100000, /* systems and components (assumed) */
    MOST_NODES = 2000000,    /* connectors of all instances (assumed) */
    MOST_NESTED = 16,        /* depth of references from components to systems (assumed) */
    PATH_BYTES = 4096        /* longest path of an element (assumed) */
};

static int add_system(const wr_ssp_flattener *f, const wr_ssp_opened *file, int i_element,
                      int i_outer, int depth);

/* Returns the index of the element with an id; -1: none. */
static int find_id(const wr_ssp_file *file, const char *id)
{
    for (int i = 0; i < file->n_element; i++)
        if (file->element[i].id && strcmp(file->element[i].id, id) == 0)
            return i;
    return -1;
}

/* Adds an instance. parent -1: the root. Returns its index, or -1 after an error. */
static int add_instance(const wr_ssp_flattener *f, const wr_ssp_opened *file,
                        const wr_ssp_element *e, int parent)
{
    wr_ssp_parts *const p = f->p;
    if (p->n_instance == MOST_INSTANCES)
        return wr_ssp_parts_fail(f, file, e->line,
                                 "the system has more than %d elements; divide the system",
                                 MOST_INSTANCES);
    wr_ssp_instance *const i = WR_SSP_APPEND(f, p->instance, p->n_instance);
    if (!i)
        return -1;
    *i = (wr_ssp_instance){
        .name = e->name, .file = file, .element = e, .parent = parent, .component = -1};
    i->path = parent < 0 ? ""
              : *p->instance[parent].path == '\0'
                  ? e->name
                  : wr_ssp_parts_format(f, "%s.%s", p->instance[parent].path, e->name);
    if (i->path && strlen(i->path) >= PATH_BYTES)
        return wr_ssp_parts_fail(
            f, file, e->line,
            "the names of the element and its systems have more than %d bytes; shorten "
            "them",
            PATH_BYTES);
    return i->path ? p->n_instance - 1 : -1;
}

/* Adds the system to which a component refers: a file .ssd, a package .ssp or an element of the same file. */
static int add_nested(const wr_ssp_flattener *f, int i_outer, int depth)
{
    const wr_ssp_instance *const i = &f->p->instance[i_outer];
    const wr_ssp_element *const e = i->element;
    const wr_ssp_opened *const in = i->file;
    const char *fragment = NULL;
    const int is_package = strcmp(e->type, "application/x-ssp-package") == 0;
    if (depth == MOST_NESTED)
        return wr_ssp_parts_fail(
            f, in, e->line,
            "the component '%.*s' is nested %d systems deep, as in a loop of sources; correct "
            "the attribute 'source'",
            WR_SSP_QUOTED, i->path, MOST_NESTED);
    const int is_own = *e->source == '#';
    const char *path = wr_ssp_sources_resolve(f, in, e->line, e->source, in->base,
                                              is_own || is_package ? &fragment : NULL);
    if (!path)
        return -1;
    if (is_own) {
        const int i_element = find_id(in->file, fragment);
        if (i_element < 0 || in->file->element[i_element].kind != WR_SSP_SYSTEM)
            return wr_ssp_parts_fail(
                f, in, e->line,
                "the component '%.*s' refers to the id '%.*s', but no system has this id; "
                "correct the source",
                WR_SSP_QUOTED, i->path, WR_SSP_QUOTED, fragment);
        return add_system(f, in, i_element, i_outer, depth + 1);
    }
    if (is_package && fragment && strchr(fragment, '/'))
        return wr_ssp_parts_fail(
            f, in, e->line,
            "the source '%.*s' names a file in a folder of the package; name a file at its top",
            WR_SSP_QUOTED, e->source);
    if (is_package)
        path = wr_ssp_parts_format(f, "%s/%s", path, fragment ? fragment : "SystemStructure.ssd");
    const wr_ssp_opened *const file = path ? wr_ssp_sources_open(f, WR_SSP_SSD, path) : NULL;
    if (!file)
        return path ? wr_ssp_sources_fail(f, in, e->line, "component", i->path, e->source) : -1;
    return add_system(f, file, 0, i_outer, depth + 1);
}

/* Adds the FMU of a component. */
static int add_component(const wr_ssp_flattener *f, int i_instance)
{
    const wr_ssp_instance *const i = &f->p->instance[i_instance];
    const wr_ssp_element *const e = i->element;
    const char *const path =
        wr_ssp_sources_resolve(f, i->file, e->line, e->source, i->file->base, NULL);
    if (!path)
        return -1;
    const wr_ssp_opened *const fmu = wr_ssp_sources_open_fmu(f, path);
    if (!fmu)
        return wr_ssp_sources_fail(f, i->file, e->line, "component", i->path, e->source);
    const wr_description *const d = fmu->description;
    const int has[] = {d->interface[WR_FMI_ME].identifier != NULL,
                       d->interface[WR_FMI_CS].identifier != NULL};
    if (!has[0] && !has[1])
        return wr_ssp_parts_fail(
            f, i->file, e->line,
            "the FMU '%.*s' of the component '%.*s' has neither model exchange nor "
            "co-simulation; export the FMU for model exchange",
            WR_SSP_QUOTED, e->source, WR_SSP_QUOTED, i->path);
    if (e->implementation > 0 && !has[e->implementation - 1])
        return wr_ssp_parts_fail(
            f, i->file, e->line,
            "the component '%.*s' needs %s, which the FMU '%.*s' lacks; change the "
            "attribute 'implementation', or export the FMU again",
            WR_SSP_QUOTED, i->path, e->implementation == 1 ? "model exchange" : "co-simulation",
            WR_SSP_QUOTED, e->source);
    for (int v = 0; v < d->n_variable; v++)
        if (d->variable[v].type == WR_FMI_CLOCK)
            return wr_ssp_parts_fail(
                f, i->file, e->line,
                "the FMU '%.*s' of the component '%.*s' has clocks, which wrsim does "
                "not support; export the FMU without clocks",
                WR_SSP_QUOTED, e->source, WR_SSP_QUOTED, i->path);
    wr_ssp_component *const c = WR_SSP_APPEND(f, f->s->component, f->s->n_component);
    if (!c)
        return -1;
    *c = (wr_ssp_component){
        .path = i->path, .fmu = fmu->path, .implementation = e->implementation, .description = d};
    f->p->instance[i_instance].component = f->s->n_component - 1;
    f->p->instance[i_instance].fmu = fmu;
    return 0;
}

/* Adds an element of a system. */
static int add_element(const wr_ssp_flattener *f, const wr_ssp_opened *file, int i_element,
                       int parent, int depth)
{
    const wr_ssp_element *const e = &file->file->element[i_element];
    const int i = add_instance(f, file, e, parent);
    if (i < 0)
        return -1;
    if (e->kind == WR_SSP_SYSTEM)
        return add_system(f, file, i_element, i, depth);
    if (e->kind == WR_SSP_DICTIONARY)
        return wr_ssp_parts_fail(
            f, file, e->line,
            "'%.*s' is a signal dictionary, which wrsim does not support; connect the "
            "components directly",
            WR_SSP_QUOTED, f->p->instance[i].path);
    if (!e->source)
        return wr_ssp_parts_fail(
            f, file, e->line,
            "the component '%.*s' has no source; name its FMU in the attribute 'source'",
            WR_SSP_QUOTED, f->p->instance[i].path);
    if (!e->type || strcmp(e->type, "application/x-fmu-sharedlibrary") == 0)
        return add_component(f, i);
    if (strcmp(e->type, "application/x-ssp-definition") == 0 ||
        strcmp(e->type, "application/x-ssp-package") == 0)
        return add_nested(f, i, depth);
    return wr_ssp_parts_fail(
        f, file, e->line,
        "the component '%.*s' has the type '%.*s', and wrsim reads FMUs and systems of "
        "SSP; replace it by an FMU",
        WR_SSP_QUOTED, f->p->instance[i].path, WR_SSP_QUOTED, e->type);
}

/* Gives an instance the contents of a system, and adds the elements of the system. i_outer: the instance. */
static int add_system(const wr_ssp_flattener *f, const wr_ssp_opened *file, int i_element,
                      int i_outer, int depth)
{
    const wr_ssp_file *const of = file->file;
    wr_ssp_instance *const i = &f->p->instance[i_outer];
    if (i->element != &of->element[i_element]) {
        i->outer = i->element;
        i->outer_file = i->file;
        i->element = &of->element[i_element];
        i->file = file;
    }
    for (int k = i_element + 1; k < of->n_element; k++)
        if (of->element[k].parent < i_element)
            break; /* the elements of a system follow the system */
        else if (of->element[k].parent == i_element && add_element(f, file, k, i_outer, depth) < 0)
            return -1;
    return 0;
}

/* Sorts names, and refuses equal names. */
static int sort_names(const wr_ssp_flattener *f, const wr_ssp_instance *i, wr_named *name, int n,
                      const char *noun)
{
    wr_names_sort(name, n);
    for (int k = 1; k < n; k++)
        if (strcmp(name[k - 1].name, name[k].name) == 0)
            return wr_ssp_parts_fail(f, i->file, i->element->line,
                                     "'%.*s' has two %s '%.*s'; rename one of them", WR_SSP_QUOTED,
                                     wr_ssp_parts_path(i), noun, WR_SSP_QUOTED, name[k].name);
    return 0;
}

/* Lists the elements and connectors of all instances. */
int wr_ssp_instances_list(const wr_ssp_flattener *f)
{
    wr_ssp_parts *const p = f->p;
    for (int k = 1; k < p->n_instance; k++)
        p->instance[p->instance[k].parent].n_child++;
    for (int k = 0; k < p->n_instance; k++) {
        wr_ssp_instance *const i = &p->instance[k];
        i->first_node = p->n_node;
        i->n_node = i->element->n_connector;
        if (i->n_node > MOST_NODES - p->n_node)
            return wr_ssp_parts_fail(f, i->file, i->element->line,
                                     "the system has more than %d connectors; divide the system",
                                     MOST_NODES);
        i->child = wr_ssp_parts_place(f, (size_t)i->n_child + 1, sizeof *i->child);
        i->connector = wr_ssp_parts_place(f, (size_t)i->n_node + 1, sizeof *i->connector);
        if (!i->child || !i->connector)
            return -1;
        for (int c = 0; c < i->n_node; c++) {
            wr_ssp_node *const n = WR_SSP_APPEND(f, p->node, p->n_node);
            if (!n)
                return -1;
            *n = (wr_ssp_node){.instance = k,
                               .connector = &i->element->connector[c],
                               .driver = -1,
                               .first_driven = -1,
                               .next_driven = -1};
            i->connector[c] = (wr_named){n->connector->name, i->first_node + c};
        }
        i->n_child = 0;
        if (i->parent >= 0) {
            wr_ssp_instance *const parent = &p->instance[i->parent];
            parent->child[parent->n_child++] = (wr_named){i->name, k};
        }
    }
    for (int k = 0; k < p->n_instance; k++) {
        const wr_ssp_instance *const i = &p->instance[k];
        if (sort_names(f, i, i->child, i->n_child, "elements") < 0 ||
            sort_names(f, i, i->connector, i->n_node, "connectors") < 0)
            return -1;
    }
    return 0;
}

int wr_ssp_instances_add(const wr_ssp_flattener *f, const wr_ssp_opened *root)
{
    const int i = add_instance(f, root, &root->file->element[0], -1);
    return i < 0 ? -1 : add_system(f, root, 0, i, 0);
}
