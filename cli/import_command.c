/* `wrsim import`: the content of an FMU or of a system of SSP. Thread: main. Real-time: no. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/json.h"
#include "base/module.h"
#include "base/text_file.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "subsystems/model_host/fmi/fmi.h"
#include "subsystems/model_host/fmi/fmi_config.h"
#include "subsystems/model_host/fmi/ssp_config.h"

enum {
    SHOWN_VALUES = 3, /* start values of an array in the tables */
    /* Largest enumeration whose start values print as names (assumed). The search of a name takes time proportional to the items. */
    NAMED_ITEMS = 1000
};

static const char *const kind_names[WR_FMI_KIND_COUNT] = {"model exchange", "co-simulation",
                                                          "scheduled execution"};
static const char *const flag_texts[WR_FMI_FLAG_COUNT] = {
#define WR_X(name, fmi2, fmi3, text) [WR_FMI_##name] = text,
    WR_FMI_FLAG_LIST(WR_X)
#undef WR_X
};
static const char *const causality_names[WR_FMI_CAUSALITY_COUNT] = {
    "local",      "input", "output", "parameter", "calculated parameter", "structural parameter",
    "independent"};
static const char *const variability_names[WR_FMI_VARIABILITY_COUNT] = {
    "continuous", "discrete", "tunable", "fixed", "constant"};
static const char *const initial_names[WR_FMI_INITIAL_COUNT] = {"exact", "approximate",
                                                                "calculated"};
static const char *const dependency_names[WR_FMI_DEPENDENCY_COUNT] = {
    "dependent", "constant", "fixed", "tunable", "discrete"};

typedef struct import {
    wr_arguments line;
    int is_json;
    const char *write;
} import;

#define ROW(...) WR_OPTION(import, __VA_ARGS__)
static const wr_option options[] = {ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
                                    ROW("write", "CONFIG",
                                        "write a config that runs the FMU or the system", FILE,
                                        write, .letter = 'o'),
                                    {.name = NULL}};

/* ---- text ---- */

/* Prints a text of the description in one line, with blanks in place of control characters. */
static void print_line(const char *text)
{
    for (; text && *text; text++)
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, wr_out);
}

static void print_start(const wr_description *d, const wr_fmi_variable *v)
{
    const int n = v->n_start < SHOWN_VALUES ? v->n_start : SHOWN_VALUES;
    const wr_fmi_declared_type *const type =
        v->type == WR_FMI_ENUMERATION ? &d->type[v->declared_type] : NULL;
    for (int i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : " = ", wr_out);
        int item = type && type->n_item <= NAMED_ITEMS ? type->n_item - 1 : -1;
        while (item >= 0 && fabs(type->item[item].value - v->start[i]) > 0.0)
            item--;
        if (v->text) {
            fputs("\"", wr_out);
            print_line(v->text[i]);
            fputs("\"", wr_out);
        } else if (item >= 0) {
            print_line(type->item[item].name);
        } else if (v->type == WR_FMI_BOOLEAN) {
            fputs(v->start[i] > 0.0 ? "true" : "false", wr_out);
        } else {
            fprintf(wr_out, "%.6g", v->start[i]);
        }
    }
    if (n < v->n_start)
        fputs(", ...", wr_out);
}

static void print_variable(const wr_fmi_ops *fmi, const wr_description *d, const wr_fmi_variable *v)
{
    const int n_blank = 22 - (int)strlen(v->name);
    fputs("    ", wr_out);
    print_line(v->name);
    fprintf(wr_out, "%*s [", n_blank > 0 ? n_blank : 0, "");
    print_line(v->unit);
    fputs("]", wr_out);
    if (v->type != WR_FMI_FLOAT64)
        fprintf(wr_out, " %s", fmi->type_name(d->version, v->type));
    for (int i = 0; i < v->n_dimension; i++)
        fprintf(wr_out, "%s%lld", i > 0 ? " x " : " array of ", (long long)v->dimension[i].size);
    print_start(d, v);
    if (v->variability == WR_FMI_TUNABLE)
        fputs(" (tunable)", wr_out);
    if (v->alias_of >= 0) {
        fputs(" (alias of ", wr_out);
        print_line(d->variable[v->alias_of].name);
        fputs(")", wr_out);
    }
    fputs(v->description ? "  " : "", wr_out);
    print_line(v->description);
    fputs("\n", wr_out);
}

/* Prints the variables with one of two causalities, which may be equal. */
static void print_causality(const wr_fmi_ops *fmi, const wr_description *d, const char *title,
                            wr_fmi_causality causality, wr_fmi_causality other)
{
    for (int is_list = 0, n = 0; is_list < 2; is_list++) {
        for (int i = 0; i < d->n_variable; i++) {
            const wr_fmi_variable *const v = &d->variable[i];
            if ((v->causality != causality && v->causality != other) ||
                wr_description_is_second_input(d, i))
                continue;
            n++;
            if (is_list)
                print_variable(fmi, d, v);
        }
        if (!is_list)
            fprintf(wr_out, "  %s (%d)\n", title, n);
    }
}

static void print_kind(const wr_fmi_interface *f, const char *name)
{
    fprintf(wr_out, "  %s, binary '", name);
    print_line(f->identifier);
    fputs("'", wr_out);
    const char *between = ": ";
    for (int i = 0; i < WR_FMI_FLAG_COUNT; i++)
        if (f->flags & 1u << i) {
            fprintf(wr_out, "%s%s", between, flag_texts[i]);
            between = ", ";
        }
    if (f->max_output_derivative > 0)
        fprintf(wr_out, "%soutput derivatives up to order %d", between, f->max_output_derivative);
    fputs("\n", wr_out);
}

static void print_experiment(const wr_fmi_experiment *e)
{
    const struct {
        const char *name, *unit;
        double value;
    } rows[] = {{"start", " s", e->start_s},
                {"stop", " s", e->stop_s},
                {"tolerance", "", e->tolerance},
                {"step", " s", e->step_s}};
    const char *between = "  default experiment: ";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!isnan(rows[i].value)) {
            fprintf(wr_out, "%s%s %.6g%s", between, rows[i].name, rows[i].value, rows[i].unit);
            between = ", ";
        }
    const double start_s = isnan(e->start_s) ? 0.0 : e->start_s;
    fputs(e->stop_s <= start_s ? " (not after the start; set simulation.stop)" : "", wr_out);
    fputs(*between == ',' ? "\n" : "", wr_out);
}

static int count_type(const wr_description *d, wr_fmi_type type)
{
    int n = 0;
    for (int i = 0; i < d->n_variable; i++)
        n += d->variable[i].type == type;
    return n;
}

static void print_all(const wr_fmi_ops *fmi, const wr_description *d, const char *platforms)
{
    print_line(d->model_name);
    fputs(d->description ? ": " : "", wr_out);
    print_line(d->description);
    fprintf(wr_out, "\n  FMI %s", d->version_text);
    fputs(d->tool ? ", made by " : "", wr_out);
    print_line(d->tool);
    fputs("\n", wr_out);
    for (int k = 0; k < WR_FMI_KIND_COUNT; k++)
        if (d->interface[k].identifier)
            print_kind(&d->interface[k], kind_names[k]);
    fprintf(wr_out, "  binaries: %s\n", *platforms ? platforms : "none");
    print_experiment(&d->experiment);
    print_causality(fmi, d, "inputs", WR_FMI_INPUT, WR_FMI_INPUT);
    print_causality(fmi, d, "outputs", WR_FMI_OUTPUT, WR_FMI_OUTPUT);
    print_causality(fmi, d, "parameters", WR_FMI_PARAMETER, WR_FMI_STRUCTURAL_PARAMETER);
    const wr_fmi_list *const states = &d->list[WR_FMI_DERIVATIVES];
    fprintf(wr_out, "  continuous states (%d)\n", states->n_row);
    for (int i = 0; i < states->n_row; i++)
        print_variable(fmi, d, &d->variable[d->variable[states->row[i].variable].derivative_of]);
    fprintf(wr_out, "  event indicators: %d\n", d->n_indicator);
    const int n_clock = count_type(d, WR_FMI_CLOCK), n_binary = count_type(d, WR_FMI_BINARY);
    if (n_clock > 0)
        fprintf(wr_out, "  clocks: %d\n", n_clock);
    if (n_binary > 0)
        fprintf(wr_out, "  binary variables: %d\n", n_binary);
    const char *const obstacle = wr_fmi_config_obstacle(d, platforms);
    if (!obstacle)
        fputs("run it by `wrsim FILE.fmu`, or by a config with [[component]] and fmu = "
              "\"FILE.fmu\"\n",
              wr_out);
    else
        fprintf(wr_out, "wrsim cannot run the FMU: %s\n", obstacle);
}

/* ---- JSON ---- */

static void add_kind(wr_json *json, const wr_fmi_interface *f, const char *name)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "kind", name);
    wr_json_string(json, "identifier", f->identifier);
    wr_json_array(json, "capabilities");
    for (int i = 0; i < WR_FMI_FLAG_COUNT; i++)
        if (f->flags & 1u << i)
            wr_json_string(json, NULL, flag_texts[i]);
    wr_json_end(json);
    wr_json_integer(json, "max_output_derivative", f->max_output_derivative);
    wr_json_number(json, "fixed_internal_step", f->fixed_internal_step_s);
    wr_json_end(json);
}

static void add_unit(wr_json *json, const wr_fmi_unit *unit)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "name", unit->name);
    if (unit->has_base) {
        wr_json_array(json, "kg_m_s_A_K_mol_cd_rad");
        for (int i = 0; i < WR_UNIT_BASES; i++)
            wr_json_integer(json, NULL, unit->definition.exponent[i]);
        wr_json_end(json);
        wr_json_number(json, "factor", unit->definition.factor);
        wr_json_number(json, "offset", unit->definition.offset);
    }
    wr_json_end(json);
}

static void add_type(wr_json *json, const wr_fmi_ops *fmi, int version,
                     const wr_fmi_declared_type *type)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "name", type->name);
    wr_json_string(json, "type", fmi->type_name(version, type->type));
    if (type->type == WR_FMI_ENUMERATION) {
        wr_json_object(json, "items");
        for (int i = 0; i < type->n_item; i++)
            wr_json_number(json, type->item[i].name, type->item[i].value);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void add_variable(wr_json *json, const wr_fmi_ops *fmi, const wr_description *d,
                         const wr_fmi_variable *v)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "name", v->name);
    wr_json_integer(json, "reference", (int64_t)v->number);
    wr_json_string(json, "type", fmi->type_name(d->version, v->type));
    if (v->declared_name)
        wr_json_string(json, "declared_type", v->declared_name);
    wr_json_string(json, "causality", causality_names[v->causality]);
    wr_json_string(json, "variability", variability_names[v->variability]);
    wr_json_string(json, "initial", initial_names[v->initial]);
    if (v->quantity.quantity)
        wr_json_string(json, "quantity", v->quantity.quantity);
    if (v->quantity.unit)
        wr_json_string(json, "unit", v->quantity.unit);
    wr_json_number(json, "nominal", v->quantity.nominal);
    wr_json_number(json, "min", v->quantity.min);
    wr_json_number(json, "max", v->quantity.max);
    if (v->n_dimension > 0) {
        wr_json_array(json, "dimensions");
        for (int i = 0; i < v->n_dimension; i++)
            wr_json_integer(json, NULL, v->dimension[i].size);
        wr_json_end(json);
    }
    wr_json_array(json, "start");
    for (int i = 0; i < v->n_start; i++)
        if (v->text)
            wr_json_string(json, NULL, v->text[i]);
        else
            wr_json_number(json, NULL, v->start[i]);
    wr_json_end(json);
    if (v->derivative_of >= 0)
        wr_json_string(json, "derivative_of", d->variable[v->derivative_of].name);
    if (v->alias_of >= 0)
        wr_json_string(json, "alias_of", d->variable[v->alias_of].name);
    if (v->description)
        wr_json_string(json, "description", v->description);
    wr_json_end(json);
}

/* Adds a row of ModelStructure. Without dependencies, the value is null. */
static void add_unknown(wr_json *json, const wr_description *d, const wr_fmi_unknown *u)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "variable", d->variable[u->variable].name);
    if (u->n_dependency < 0)
        wr_json_null(json, "dependencies");
    else
        wr_json_object(json, "dependencies");
    for (int i = 0; i < u->n_dependency; i++)
        wr_json_string(json, d->variable[u->dependency[i]].name,
                       dependency_names[u->kind ? u->kind[i] : WR_FMI_DEPENDENT]);
    if (u->n_dependency >= 0)
        wr_json_end(json);
    wr_json_end(json);
}

static char *make_json(const wr_fmi_ops *fmi, const wr_description *d, const char *file,
                       const char *platforms)
{
    static const char *const list_names[WR_FMI_LIST_COUNT] = {
        "outputs", "derivatives", "clocked_states", "initial_unknowns", "event_indicators"};
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "file", file);
    wr_json_string(&json, "fmi_version", d->version_text);
    wr_json_string(&json, "model", d->model_name);
    wr_json_string(&json, "token", d->token);
    wr_json_string(&json, "tool", d->tool);
    wr_json_string(&json, "description", d->description);
    wr_json_string(&json, "platforms", platforms);
    wr_json_object(&json, "default_experiment");
    wr_json_number(&json, "start", d->experiment.start_s);
    wr_json_number(&json, "stop", d->experiment.stop_s);
    wr_json_number(&json, "tolerance", d->experiment.tolerance);
    wr_json_number(&json, "step", d->experiment.step_s);
    wr_json_end(&json);
    wr_json_integer(&json, "n_event_indicator", d->n_indicator);
    wr_json_bool(&json, "can_run", !wr_fmi_config_obstacle(d, platforms));
    wr_json_array(&json, "kinds");
    for (int k = 0; k < WR_FMI_KIND_COUNT; k++)
        if (d->interface[k].identifier)
            add_kind(&json, &d->interface[k], kind_names[k]);
    wr_json_end(&json);
    wr_json_array(&json, "units");
    for (int i = 0; i < d->n_unit; i++)
        add_unit(&json, &d->unit[i]);
    wr_json_end(&json);
    wr_json_array(&json, "types");
    for (int i = 0; i < d->n_type; i++)
        add_type(&json, fmi, d->version, &d->type[i]);
    wr_json_end(&json);
    wr_json_array(&json, "variables");
    for (int i = 0; i < d->n_variable; i++)
        add_variable(&json, fmi, d, &d->variable[i]);
    wr_json_end(&json);
    for (int k = 0; k < WR_FMI_LIST_COUNT; k++) {
        wr_json_array(&json, list_names[k]);
        for (int i = 0; i < d->list[k].n_row; i++)
            add_unknown(&json, d, &d->list[k].row[i]);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    return wr_json_take(&json);
}

/* ---- the command ---- */

/* Writes the path of an FMU as a config at `config` names it: the name alone in the config's folder, else an absolute path. */
static wrsim_status path_in_config(const char *fmu, const char *config, char ret[PATH_MAX],
                                   wrsim_error *err)
{
    char full[PATH_MAX], folder[PATH_MAX];
    const char *const slash = strrchr(config, '/');
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - config) + 1 : 2,
             slash ? config : "./");
    if (!realpath(fmu, full) || !realpath(parent, folder))
        return wr_text_file_fail(config, errno, err);
    const char *const name = strrchr(full, '/') + 1;
    const size_t n_folder = (size_t)(name - full) - 1;
    const int is_same = strlen(folder) == n_folder && strncmp(folder, full, n_folder) == 0;
    snprintf(ret, PATH_MAX, "%s", is_same ? name : full);
    return WRSIM_OK;
}

/* Returns the config of an FMU, or of a system if d is NULL. path: name of the file in the config. */
static char *make_config(const import *a, const wr_description *d, const wr_ssp_system *s,
                         const char *path)
{
    const char *const given = a->line.operand[0];
    const char *const ends[] = {strrchr(given, '/'), strrchr(path, '/')};
    char folder[2][PATH_MAX];
    if (d)
        return wr_fmi_config_text(d, path);
    snprintf(folder[0], PATH_MAX, "%.*s", ends[0] ? (int)(ends[0] - given) + 1 : 0, given);
    snprintf(folder[1], PATH_MAX, "%.*s", ends[1] ? (int)(ends[1] - path) + 1 : 0, path);
    return wr_ssp_config_text(s, folder[0], folder[1]);
}

/* Refuses to replace a file, because a user may have changed it. */
static wrsim_status check_free(const import *a, wrsim_error *err)
{
    struct stat info;
    if (!a->write || stat(a->write, &info) != 0)
        return WRSIM_OK;
    return wr_error_set(err, WRSIM_E_IO,
                        S_ISDIR(info.st_mode)
                            ? "'%s' is a folder; name a file, such as %s/x.toml"
                            : "'%s' exists and may have your changes; choose another name",
                        a->write, a->write);
}

/* Writes a config that runs the FMU or the system. */
static wrsim_status write_config(const import *a, const wr_description *d, const wr_ssp_system *s,
                                 wrsim_error *err)
{
    char path[PATH_MAX];
    WR_TRY(path_in_config(a->line.operand[0], a->write, path, err));
    char *const config = make_config(a, d, s, path);
    if (!config)
        return wr_error_memory(err);
    const int error_number = wr_text_file_write(a->write, config);
    free(config);
    if (error_number)
        return wr_text_file_fail(a->write, error_number, err);
    if (!a->is_json)
        fprintf(wr_out, "config: %s\n", a->write);
    return WRSIM_OK;
}

/* Reads the description and unpacks the files of this machine, which finds damaged entries, too. */
static wrsim_status show(const import *a, const wr_fmi_ops *fmi, wr_archive *archive,
                         wrsim_error *err)
{
    const char *const path = a->line.operand[0], *const platforms = fmi->archive_platforms(archive);
    char file[sizeof err->file];
    snprintf(file, sizeof file, "%s/modelDescription.xml", path);
    size_t n_bytes;
    const char *const xml = fmi->archive_description(archive, &n_bytes);
    wr_description *d = fmi->description_read(file, xml, n_bytes, err);
    if (!d)
        return err->status;
    wrsim_status status = fmi->archive_unpack(archive, err);
    if (status == WRSIM_OK && a->is_json)
        status = wr_tool_print_json(make_json(fmi, d, path, platforms), err);
    else if (status == WRSIM_OK)
        print_all(fmi, d, platforms);
    if (status == WRSIM_OK && a->write)
        status = write_config(a, d, NULL, err);
    fmi->description_destroy(&d);
    return status;
}

/* ---- systems of SSP ---- */

static void print_system(const wr_ssp_system *s)
{
    print_line(s->name);
    fputs("\n  SSP 1.0\n", wr_out);
    print_experiment(&(wr_fmi_experiment){s->start_s, s->stop_s, .tolerance = (double)NAN,
                                          .step_s = (double)NAN});
    fprintf(wr_out, "  components (%d)\n", s->n_component);
    for (int i = 0; i < s->n_component; i++) {
        const wr_ssp_component *const c = &s->component[i];
        fprintf(wr_out, "    %-22s ", c->name);
        print_line(c->path);
        fputs(": ", wr_out);
        print_line(c->fmu);
        if (c->implementation > 0)
            fprintf(wr_out, " (%s)", kind_names[c->implementation - 1]);
        fputs("\n", wr_out);
        for (int k = 0; k < c->n_setting; k++) {
            fputs("      ", wr_out);
            print_line(c->setting[k].variable->name);
            fprintf(wr_out, " = %.6g\n", c->setting[k].value);
        }
    }
    fprintf(wr_out, "  connections (%d)\n", s->n_link);
    for (int i = 0; i < s->n_link; i++) {
        const wr_ssp_link *const l = &s->link[i];
        fprintf(wr_out, "    %s.", s->component[l->from].name);
        print_line(l->output);
        fprintf(wr_out, " -> %s.", s->component[l->to].name);
        print_line(l->input);
        if (l->factor < 1.0 || l->factor > 1.0 || l->offset < 0.0 || l->offset > 0.0)
            fprintf(wr_out, ": %.6g * value %c %.6g", l->factor, l->offset < 0.0 ? '-' : '+',
                    fabs(l->offset));
        fputs(l->is_unconverted ? " (no conversion of units)\n" : "\n", wr_out);
    }
    for (int i = 0; i < s->n_note; i++) {
        const wr_ssp_note *const n = &s->note[i];
        fputs("  note: ", wr_out);
        print_line(n->file);
        fprintf(wr_out, n->line > 0 ? ":%d: " : ": ", n->line);
        print_line(n->text);
        fputs("\n", wr_out);
    }
    fputs("run it by `wrsim FILE`, or by the config that --write writes\n", wr_out);
}

static char *make_system_json(const wr_ssp_system *s, const char *file)
{
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "file", file);
    wr_json_string(&json, "ssp_version", "1.0");
    wr_json_string(&json, "name", s->name);
    wr_json_object(&json, "default_experiment");
    wr_json_number(&json, "start", s->start_s);
    wr_json_number(&json, "stop", s->stop_s);
    wr_json_end(&json);
    wr_json_array(&json, "components");
    for (int i = 0; i < s->n_component; i++) {
        const wr_ssp_component *const c = &s->component[i];
        wr_json_object(&json, NULL);
        wr_json_string(&json, "name", c->name);
        wr_json_string(&json, "path", c->path);
        wr_json_string(&json, "fmu", c->fmu);
        wr_json_string(&json, "kind",
                       c->implementation ? kind_names[c->implementation - 1] : "any");
        wr_json_object(&json, "values");
        for (int k = 0; k < c->n_setting; k++)
            wr_json_number(&json, c->setting[k].variable->name, c->setting[k].value);
        wr_json_end(&json);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    wr_json_array(&json, "connections");
    for (int i = 0; i < s->n_link; i++) {
        const wr_ssp_link *const l = &s->link[i];
        wr_json_object(&json, NULL);
        wr_json_string(&json, "from", s->component[l->from].name);
        wr_json_string(&json, "output", l->output);
        wr_json_string(&json, "to", s->component[l->to].name);
        wr_json_string(&json, "input", l->input);
        wr_json_number(&json, "factor", l->factor);
        wr_json_number(&json, "offset", l->offset);
        wr_json_bool(&json, "convert", !l->is_unconverted);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    wr_json_array(&json, "notes");
    for (int i = 0; i < s->n_note; i++)
        wr_json_string(&json, NULL, s->note[i].text);
    wr_json_end(&json);
    wr_json_end(&json);
    return wr_json_take(&json);
}

static wrsim_status show_system(const import *a, const wr_fmi_ops *fmi, wrsim_error *err)
{
    wr_ssp_system *s = fmi->ssp_read(a->line.operand[0], err);
    if (!s)
        return err->status;
    wrsim_status status = WRSIM_OK;
    if (a->is_json)
        status = wr_tool_print_json(make_system_json(s, a->line.operand[0]), err);
    else
        print_system(s);
    if (status == WRSIM_OK && a->write)
        status = write_config(a, NULL, s, err);
    fmi->ssp_destroy(&s);
    return status;
}

static int run(void *into)
{
    const import *const a = into;
    wrsim_error err = {0};
    const wr_fmi_ops *const fmi = wr_module_load(WR_MODULE_FMI, &err);
    if (!fmi || check_free(a, &err) < 0)
        return wr_tool_end(err.status, &err);
    const char *const path = a->line.operand[0];
    if (wr_ssp_config_is_system(path) || fmi->ssp_is_package(path))
        return wr_tool_end(show_system(a, fmi, &err), &err);
    wr_archive *archive = fmi->archive_open(path, &err);
    const wrsim_status status = archive ? show(a, fmi, archive, &err) : err.status;
    fmi->archive_close(&archive);
    return wr_tool_end(status, &err);
}

const wr_command wr_import_command = {
    WR_COMMAND("import", "X.fmu|X.ssp|X.ssd", 1, 1, options, run),
    .help = "show the content of an FMU (.fmu) or of a system of FMUs (.ssp, .ssd)",
    .more =
        "Of an FMU the command reads the description. It also unpacks the resources and the "
        "binaries for this machine, to check the archive.\nThe list has kinds and capabilities, "
        "inputs, outputs, parameters and states with units and start values.\nOf a system of SSP "
        "1.0 the command "
        "reads the FMUs, parameter sets and mappings.\nThe list of a system has its components, "
        "their values, and the connections of their variables.\nOption --write writes a config "
        "that runs the FMU or the system.\n",
    .into = &(import){.is_json = 0}};
