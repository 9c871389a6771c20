/* `wrsim models`, `wrsim keys` and `wrsim topology`. Thread: main. Real-time: no. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/names.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "models/models.h"
#include "runtime/config/keys.h"
#include "scheduler/machine.h"
#include "scheduler/topology.h"
#include "subsystems/model_files/model_files.h"
#include "subsystems/model_host/component.h"
#include "subsystems/model_host/fmi/fmi_config.h"

static const char *const kind_titles[WRSIM_KIND_COUNT] = {[WRSIM_STATE] = "continuous states",
                                                          [WRSIM_DISCRETE] = "discrete states",
                                                          [WRSIM_INPUT] = "inputs",
                                                          [WRSIM_OUTPUT] = "outputs",
                                                          [WRSIM_INDICATOR] = "indicators",
                                                          [WRSIM_PARAMETER] = "parameters"};

static void print_variable(const char *name, const char *unit, double start, unsigned flags,
                           const char *description)
{
    const char *const tunable = flags & WRSIM_TUNABLE ? " (tunable)" : "";
    if (flags & WRSIM_REQUIRED)
        fprintf(wr_out, "    %-22s [%s] required  %s%s\n", name, unit, description, tunable);
    else
        fprintf(wr_out, "    %-22s [%s] = %.6g  %s%s\n", name, unit, start, description, tunable);
}

/* Prints a parameter with "required" or its default in the syntax of a config, and the allowed values of a choice. */
static void print_parameter(const wrsim_variable *p)
{
    const char *const unit = p->unit ? p->unit : "";
    const char *const description = p->description ? p->description : "";
    const int is_choice = p->choices != NULL, is_text = (p->flags & WRSIM_TEXT) != 0;
    if (!is_choice && !is_text && !(p->flags & WRSIM_BOOLEAN)) {
        print_variable(p->name, unit, p->start, p->flags, description);
        return;
    }
    fprintf(wr_out, "    %-22s ", p->name);
    if (p->flags & WRSIM_REQUIRED)
        fprintf(wr_out, "%s required", is_choice ? "name" : is_text ? "text" : "true or false");
    else if (is_choice || is_text)
        fprintf(wr_out, "= \"%s\"", is_choice ? p->choices[(int)p->start] : p->text ? p->text : "");
    else
        fprintf(wr_out, "= %s", p->start > 0.0 ? "true" : "false");
    fprintf(wr_out, "  %s", description);
    for (int i = 0; is_choice && p->choices[i]; i++)
        fprintf(wr_out, "%s\"%s\"", i > 0 ? ", " : description[0] ? ": " : "", p->choices[i]);
    fprintf(wr_out, "\n");
}

static int print_diag(wr_diag *diag)
{
    const int code = wrsim_status_exit_code(wr_diag_report(diag, wr_print_error, NULL, NULL));
    wr_diag_done(diag);
    return code;
}

/* Prints the parameters and variables of one model. Returns the exit code. */
static int describe_model(const wrsim_model *model)
{
    int is_required = 0;
    for (int i = 0; i < model->n_param; i++)
        is_required = is_required || (model->params[i].flags & WRSIM_REQUIRED);
    wr_diag diag = {0};
    wr_component *c = wr_component_create("instance", model, NULL, NULL, 0, NULL, 0, &diag);
    if (!c && !is_required)
        return print_diag(&diag); /* the model's declaration is wrong */
    fprintf(wr_out, "%s: %s\n", model->name, model->description ? model->description : "");
    fprintf(wr_out, "  %s\n", kind_titles[WRSIM_PARAMETER]);
    for (int i = 0; i < model->n_param; i++)
        print_parameter(&model->params[i]);
    for (int kind = 0; c && kind < WRSIM_PARAMETER; kind++) {
        if (c->n[kind] > 0)
            fprintf(wr_out, "  %s (%d)\n", kind_titles[kind], c->n[kind]);
        for (int i = 0; i < c->n[kind]; i++) {
            const wr_variable *const v = &c->variable[kind][i];
            if (kind == WRSIM_OUTPUT || kind == WRSIM_INDICATOR)
                fprintf(wr_out, "    %-22s [%s] %s\n", v->name, v->unit, v->description);
            else
                print_variable(v->name, v->unit, v->start, v->flags, v->description);
        }
    }
    if (!c)
        fprintf(wr_out, "  (the variables depend on required parameters)\n");
    wr_component_destroy(&c);
    wr_diag_done(&diag);
    return 0;
}

/* Copies text to best if text is nearer to word than best is ("": no candidate yet). */
static void keep_nearest(const char *word, const char *text, int n_text,
                         char best[WR_NAMES_MAX_BYTES])
{
    char candidate[WR_NAMES_MAX_BYTES];
    snprintf(candidate, sizeof candidate, "%.*s", n_text, text);
    const char *const names[] = {best[0] ? best : NULL, candidate};
    if (wr_names_nearest(word, names, 2) == candidate)
        strcpy(best, candidate);
}

/* Prints the models of one family (NULL: all models). Returns the number of models. */
static int print_models(const wrsim_model *const *models, const char *family)
{
    int n = 0;
    for (; *models; models++) {
        const wrsim_model *const m = *models;
        const size_t n_family = family ? strlen(family) : 0;
        if (family && (strncmp(family, m->name, n_family) != 0 || m->name[n_family] != '.'))
            continue;
        fprintf(wr_out, "%-28s %s\n", m->name, m->description ? m->description : "");
        n++;
    }
    return n;
}

/* Prints the model called `name`, or the models of the family `name` (NULL: all models). otherwise: advice if no model has a similar name.
 * Returns the exit code. */
static int list_models(const wrsim_model *const *models, const char *name, const char *otherwise)
{
    for (int i = 0; name && models[i]; i++)
        if (strcmp(models[i]->name, name) == 0)
            return describe_model(models[i]);
    if (print_models(models, name) > 0 || !name)
        return 0;
    char nearest[WR_NAMES_MAX_BYTES] = "";
    for (int i = 0; models[i]; i++) {
        keep_nearest(name, models[i]->name, (int)strlen(models[i]->name), nearest);
        keep_nearest(name, models[i]->name, (int)strcspn(models[i]->name, "."), nearest);
        const char *const dot = strchr(models[i]->name, '.');
        if (dot && strcmp(dot + 1, name) == 0) {
            snprintf(nearest, sizeof nearest, "%s", models[i]->name);
            break;
        }
    }
    return wr_print_misuse("", "unknown model '%s'; %s%s%s", name,
                           nearest[0] ? "did you mean '" : "", nearest[0] ? nearest : otherwise,
                           nearest[0] ? "'?" : "");
}

typedef struct models {
    wr_arguments line;
    const char *plugin;
} models;

static const wr_option models_options[] = {
    WR_OPTION(models, "plugin", "FILE", "list models of this plug-in", FILE, plugin),
    {.name = NULL}};

static int run_models(void *into)
{
    const models *const m = into;
    const char *const name = m->line.n_operand > 0 ? m->line.operand[0] : NULL;
    const char *const dot = name ? strrchr(name, '.') : NULL;
    const int is_fmu = dot && strcasecmp(dot, ".fmu") == 0;
    if (!m->plugin && !is_fmu)
        return list_models(
            wr_models, name,
            dot && (strcmp(dot, ".ssp") == 0 || strcmp(dot, ".ssd") == 0)
                ? "wrsim import lists the components of a system of SSP"
                : "wrsim models lists the built-in models, and --plugin FILE the models of a "
                  "plug-in");
    /* dlopen() searches a name without '/' in the system's library folders, not in the current folder. */
    char path[4096];
    const char *const file = m->plugin ? m->plugin : name;
    snprintf(path, sizeof path, "%s%s", strchr(file, '/') ? "" : "./", file);
    wr_diag diag = {0};
    if (!m->plugin && !wr_fmi_config_is_fmu(path)) {
        wr_fmi_config_refuse(path, "name a plug-in by --plugin", NULL, &diag);
        return print_diag(&diag);
    }
    wr_model_files *plugin = wr_model_files_open(path, NULL, &diag);
    if (!plugin)
        return print_diag(&diag);
    const wrsim_model *const *const list = wr_model_files_models(plugin);
    const int code = list_models(list, m->plugin ? name : list[0]->name,
                                 "omit the name to list all models of the plug-in");
    wr_model_files_close(&plugin);
    return code;
}

const wr_command wr_models_command = {
    WR_COMMAND("models", "[MODEL|X.fmu]", 0, 1, models_options, run_models),
    .help = "list all built-in models or a family such as engine, or describe one model or FMU",
    .into = &(models){.plugin = NULL}};

/* Copies the key, or one of its parts between dots, to best if this text is nearer to word than best is. */
static void keep_nearest_key(const char *word, const char *path, char best[WR_NAMES_MAX_BYTES])
{
    keep_nearest(word, path, (int)strlen(path), best);
    for (const char *at = path; at; at = strchr(at, '.') ? strchr(at, '.') + 1 : NULL)
        keep_nearest(word, at, (int)strcspn(at, "."), best);
}

typedef struct keys {
    wr_arguments line;
    int is_all;
} keys;

static const wr_option keys_options[] = {
    WR_OPTION(keys, "all", NULL, "list expert keys, too", FLAG, is_all), {.name = NULL}};

static int run_keys(void *into)
{
    const keys *const a = into;
    const char *const part = a->line.n_operand > 0 ? a->line.operand[0] : "";
    char type[256], nearest[WR_NAMES_MAX_BYTES] = "";
    int n = 0, n_hidden = 0;
    for (const wr_key *k = wr_keys; k->path; k++) {
        keep_nearest_key(part, k->path, nearest);
        if (!strstr(k->path, part))
            continue;
        /* the list omits expert keys if the command line has neither KEY nor --all */
        if (k->audience == WR_KEY_EXPERT && !*part && !a->is_all) {
            n_hidden++;
            continue;
        }
        n++;
        wr_key_type_text(k, type, sizeof type);
        fprintf(wr_out, "%s = %s  (%s)%s\n    %s\n", k->path,
                k->default_text ? k->default_text : "(required)", type,
                k->audience == WR_KEY_EXPERT ? "  [expert]" : "", k->help);
    }
    /* The loop prints the keys of repeated tables whose path ("component.model") contains `part`. */
    int n_table = 0;
    for (const wr_table *table = wr_tables; table->name; table++)
        for (const wr_table_key *key = table->key; key->name; key++) {
            char path[128];
            snprintf(path, sizeof path, "%s.%s", table->name, key->name);
            keep_nearest_key(part, path, nearest);
            if (!strstr(path, part))
                continue;
            n_table++;
            fprintf(wr_out, "[[%s]] %s  (%s)\n    %s\n", table->name, key->name, key->type,
                    key->help);
        }
    n += n_table;
    if (n_hidden > 0)
        fprintf(wr_out, "\n%d key%s for experts %s not shown; wrsim keys --all lists all keys\n",
                n_hidden, wr_plural(n_hidden), n_hidden == 1 ? "is" : "are");
    return n > 0 ? 0
                 : wr_print_misuse("", "no key contains '%s'%s%s%s", part,
                                   nearest[0] ? "; did you mean '"
                                              : "; wrsim keys --all lists all keys",
                                   nearest, nearest[0] ? "'?" : "");
}

const wr_command wr_keys_command = {WR_COMMAND("keys", "[KEY]", 0, 1, keys_options, run_keys),
                                    .help =
                                        "list the keys of a config with type, default and meaning",
                                    .into = &(keys){.is_all = 0}};

static int run_topology(void *into)
{
    const wr_arguments *const a = into;
    wr_diag diag = {0};
    wr_topology *t = wr_topology_create(a->n_operand ? a->operand[0] : NULL, &diag);
    if (!t)
        return print_diag(&diag);
    wr_machine machine;
    wr_machine_read(&machine, t);
    fprintf(wr_out, "%s\n%s\n\n%6s %6s %8s %8s %6s %6s\n", machine.cpu, t->name, "cpu", "core",
            "sibling", "package", "numa", "L3");
    for (int i = 0; i < t->n_pu; i++)
        fprintf(wr_out, "%6d %6d %8d %8d %6d %6d\n", t->pu[i].os_cpu, t->pu[i].core,
                t->pu[i].sibling, t->pu[i].package, t->pu[i].numa, t->pu[i].l3);
    wr_topology_destroy(&t);
    return 0;
}

const wr_command wr_topology_command = {
    WR_COMMAND("topology", "[SYNTHETIC]", 0, 1, WR_NO_OPTIONS, run_topology),
    .help = "show the cores of this machine or of a synthetic one",
    .into = &(wr_arguments){.n_operand = 0}};
