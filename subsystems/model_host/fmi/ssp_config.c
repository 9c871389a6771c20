/* Writes a config that runs a system of SSP. See ssp_config.h. Thread: any. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_config.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/module.h"
#include "base/text_buffer.h"
#include "base/toml_string.h"
#include "subsystems/model_host/fmi/fmi.h"
#include "subsystems/model_host/fmi/fmi_config.h"
#include "subsystems/model_host/fmi/fmi_variables.h"

enum { MOST_NOTES = 20 /* notes in a config (assumed) */ };

/* Returns 1 if an FMU may have events, and cannot return to an earlier state. */
static int is_bound(const wr_ssp_component *c)
{
    const wr_description *const d = c->description;
    if (wr_ssp_component_kind(c) != WR_FMI_ME || d->interface[WR_FMI_ME].flags & 1U << WR_FMI_STATE)
        return 0;
    for (int i = 0; i < d->n_variable; i++)
        if (d->variable[i].variability == WR_FMI_DISCRETE &&
            (d->variable[i].causality == WR_FMI_OUTPUT || d->variable[i].causality == WR_FMI_LOCAL))
            return 1;
    return d->n_indicator > 0;
}

/* Adds a table of the values of a component: its parameters, or the start values of its states and inputs. */
static void put_values(wr_text_buffer *to, const wr_ssp_component *c, int of_parameters)
{
    const wr_description *const d = c->description;
    int n = 0;
    for (int i = 0; i < c->n_setting; i++) {
        const wr_ssp_setting *const s = &c->setting[i];
        const wr_fmi_variable *const v = s->variable;
        if ((v->causality == WR_FMI_PARAMETER) != of_parameters)
            continue;
        if (n++ == 0)
            wr_text_buffer_add(to, of_parameters ? "parameters = { " : "start = { ");
        else
            wr_text_buffer_add(to, ", ");
        wr_toml_string_add(to, v->name);
        wr_text_buffer_add(to, " = ");
        const double start = wr_fmi_variables_start(v, 0);
        if (of_parameters && wr_fmi_variables_has_names(d, v, start)) {
            const wr_fmi_declared_type *const type = &d->type[v->declared_type];
            int item = 0;
            while (item < type->n_item - 1 && fabs(type->item[item].value - s->value) > 0.0)
                item++;
            wr_toml_string_add(to, type->item[item].name);
        } else if (of_parameters && v->type == WR_FMI_BOOLEAN) {
            wr_text_buffer_add(to, s->value > 0.0 ? "true" : "false");
        } else {
            wr_text_buffer_number(to, s->value);
        }
    }
    if (n > 0)
        wr_text_buffer_add(to, " }\n");
}

/* Adds a component. */
static void put_component(wr_text_buffer *to, const wr_ssp_component *c, const char *folder,
                          const char *new_folder)
{
    const size_t n_folder = strlen(folder);
    const int is_inside = strncmp(c->fmu, folder, n_folder) == 0;
    wr_text_buffer fmu = {0};
    wr_text_buffer_add(&fmu, "%s%s", is_inside ? new_folder : "",
                       c->fmu + (is_inside ? n_folder : 0));
    wr_text_buffer_add(to, "\n[[component]]\nname = \"%s\"", c->name);
    if (strcmp(c->name, c->path) != 0) {
        wr_text_buffer_add(to, "  # ");
        wr_fmi_config_put_comment(to, c->path);
    }
    wr_text_buffer_add(to, "\nfmu = ");
    if (wr_text_buffer_get(&fmu))
        wr_toml_string_add(to, fmu.text);
    else
        to->is_failed = 1;
    wr_text_buffer_done(&fmu);
    wr_text_buffer_add(to, "\n");
    if (c->implementation > 0)
        wr_text_buffer_add(to, "mode = \"%s\"\n", c->implementation == 1 ? "me" : "cs");
    put_values(to, c, 1);
    put_values(to, c, 0);
}

static void put_end(wr_text_buffer *to, const char *key, const char *component,
                    const char *variable)
{
    wr_text_buffer name = {0};
    wr_text_buffer_add(&name, "%s.%s", component, variable);
    wr_text_buffer_add(to, "%s = ", key);
    if (wr_text_buffer_get(&name))
        wr_toml_string_add(to, name.text);
    else
        to->is_failed = 1;
    wr_text_buffer_add(to, "\n");
    wr_text_buffer_done(&name);
}

static void put_link(wr_text_buffer *to, const wr_ssp_system *s, const wr_ssp_link *l)
{
    wr_text_buffer_add(to, "\n[[connection]]\n");
    put_end(to, "from", s->component[l->from].name, l->output);
    put_end(to, "to", s->component[l->to].name, l->input);
    if (l->is_unconverted)
        wr_text_buffer_add(to, "convert = false\n");
    if (l->factor < 1.0 || l->factor > 1.0) {
        wr_text_buffer_add(to, "factor = ");
        wr_text_buffer_number(to, l->factor);
        wr_text_buffer_add(to, "\n");
    }
    if (l->offset < 0.0 || l->offset > 0.0) {
        wr_text_buffer_add(to, "offset = ");
        wr_text_buffer_number(to, l->offset);
        wr_text_buffer_add(to, "\n");
    }
}

/* Adds the subsystem of FMUs that have events and cannot return to an earlier state. An FMU of co-simulation may prevent windows from ending
 * at events. Then all FMUs of model exchange share one subsystem, because sweeps with another such subsystem would repeat windows. */
static void put_subsystem(wr_text_buffer *to, const wr_ssp_system *s)
{
    int n_bound = 0, n_cs = 0, n = 0;
    for (int i = 0; i < s->n_component; i++) {
        n_bound += is_bound(&s->component[i]);
        n_cs += wr_ssp_component_kind(&s->component[i]) == WR_FMI_CS;
    }
    if (n_bound == 0 || n_cs == 0)
        return;
    wr_text_buffer_add(to,
                       "\n# An FMU of model exchange has events and cannot restore its state, and "
                       "FMUs of co-simulation have steps\n# of their own. So all FMUs of model "
                       "exchange share a subsystem.\n[[subsystem]]\nname = \"together\"\n"
                       "components = [");
    for (int i = 0; i < s->n_component; i++)
        if (wr_ssp_component_kind(&s->component[i]) == WR_FMI_ME)
            wr_text_buffer_add(to, "%s\"%s\"", n++ ? ", " : "", s->component[i].name);
    wr_text_buffer_add(to, "]\n");
}

/* Returns 1 if an FMU of co-simulation cannot return to an earlier state. */
static int is_once(const wr_ssp_component *c)
{
    return wr_ssp_component_kind(c) == WR_FMI_CS &&
           !(c->description->interface[WR_FMI_CS].flags & 1U << WR_FMI_STATE);
}

/* Adds the scheme "slack" if an FMU of co-simulation drives another, and neither can return to an earlier state. */
static void put_scheme(wr_text_buffer *to, const wr_ssp_system *s)
{
    int i = 0;
    while (i < s->n_link &&
           !(is_once(&s->component[s->link[i].from]) && is_once(&s->component[s->link[i].to])))
        i++;
    if (i < s->n_link)
        wr_text_buffer_add(
            to,
            "\n# '%s' drives '%s', and neither FMU of co-simulation can restore "
            "its state.\n# So each FMU advances once per communication step, "
            "with the inputs of the step before.\n[relaxation]\nscheme = \"slack\"\n",
            s->component[s->link[i].from].name, s->component[s->link[i].to].name);
}

int wr_ssp_config_is_system(const char *path)
{
    const char *const dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".ssd") == 0 || strcasecmp(dot, ".ssp") == 0);
}

char *wr_ssp_config_text(const wr_ssp_system *s, const char *folder, const char *new_folder)
{
    wr_text_buffer to = {0};
    wr_fmi_experiment e = {.start_s = s->start_s,
                           .stop_s = s->stop_s,
                           .tolerance = (double)NAN,
                           .step_s = (double)NAN};
    wr_text_buffer_add(&to, "# The system '");
    wr_fmi_config_put_comment(&to, s->name);
    wr_text_buffer_add(&to, "' of SSP 1.0\n");
    for (int i = 0; i < s->n_note && i < MOST_NOTES; i++) {
        wr_text_buffer_add(&to, "# note: ");
        wr_fmi_config_put_comment(&to, s->note[i].text);
        wr_text_buffer_add(&to, "\n");
    }
    if (s->n_note > MOST_NOTES)
        wr_text_buffer_add(&to, "# and %d further notes\n", s->n_note - MOST_NOTES);
    wr_fmi_config_times times = wr_fmi_config_times_of(&e);
    for (int i = 0; i < s->n_component; i++)
        if (wr_ssp_component_kind(&s->component[i]) == WR_FMI_CS)
            wr_fmi_config_fit_steps(&times, &s->component[i].description->interface[WR_FMI_CS]);
    wr_fmi_config_put_times(&to, &times);
    put_scheme(&to, s);
    wr_text_buffer_add(&to, "\n[output]\nfile = \"results.csv\"\n");
    for (int i = 0; i < s->n_component; i++)
        put_component(&to, &s->component[i], folder, new_folder);
    for (int i = 0; i < s->n_link; i++)
        put_link(&to, s, &s->link[i]);
    put_subsystem(&to, s);
    return wr_text_buffer_take(&to);
}

char *wr_ssp_config_of_file(const char *path, int *ret_is_stop_chosen, wr_diag *warnings,
                            wrsim_error *err)
{
    *ret_is_stop_chosen = 0;
    const wr_fmi_ops *const reader = wr_module_load(WR_MODULE_FMI, err);
    if (!reader)
        return NULL;
    if (!wr_ssp_config_is_system(path) && !reader->ssp_is_package(path))
        return wr_fmi_config_of_file(path, ret_is_stop_chosen, err);
    wr_ssp_system *system = reader->ssp_read(path, err);
    const char *const end = strrchr(path, '/');
    wr_text_buffer folder = {0};
    wr_text_buffer_put(&folder, path, end ? (size_t)(end - path) + 1 : 0);
    const char *const prefix = wr_text_buffer_get(&folder);
    char *const config = system && prefix ? wr_ssp_config_text(system, prefix, "") : NULL;
    if (system && !config)
        wr_error_memory(err);
    *ret_is_stop_chosen = system && isnan(system->stop_s);
    for (int i = 0; config && i < system->n_note; i++) {
        const wr_ssp_note *const n = &system->note[i];
        wr_diag_add(warnings, WRSIM_OK, &(wr_where){.file = n->file, .line = n->line}, "%s",
                    n->text);
    }
    wr_text_buffer_done(&folder);
    reader->ssp_destroy(&system);
    return config;
}
