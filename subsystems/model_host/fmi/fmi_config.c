/* Writes a config that runs one FMU. See fmi_config.h. Thread: any. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/fmi_config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/module.h"
#include "base/open_file.h"
#include "base/text_buffer.h"
#include "base/toml_string.h"
#include "subsystems/model_host/fmi/fmi.h"

static const double STOP_S =
    1.0; /* stop time after the start without a default experiment (assumed) */
static const double POINTS = 1000; /* communication points without a default step (assumed) */

static void put_number(wr_text_buffer *to, const char *key, double value)
{
    wr_text_buffer_add(to, "%s = ", key);
    wr_text_buffer_number(to, value);
    wr_text_buffer_add(to, "\n");
}

/* Adds a comment with the variables of a causality and their first start values. */
static void put_variables(wr_text_buffer *to, const wr_description *d, wr_fmi_causality causality,
                          const char *title)
{
    int n = 0;
    for (int i = 0; i < d->n_variable; i++) {
        const wr_fmi_variable *const v = &d->variable[i];
        if (v->causality != causality || v->type == WR_FMI_STRING || v->type == WR_FMI_BINARY ||
            v->type == WR_FMI_CLOCK)
            continue;
        if (n++ == 0)
            wr_text_buffer_add(to, "# %s\n", title);
        wr_text_buffer_add(to, "#   ");
        for (const char *c = v->name; *c; c++) /* a comment is one line */
            wr_text_buffer_put(to, (unsigned char)*c < ' ' ? " " : c, 1);
        if (v->start && v->n_start > 0) {
            wr_text_buffer_add(to, " = ");
            wr_text_buffer_number(to, v->start[0]);
        }
        wr_text_buffer_add(to, v->n_element > 1 ? " (array of %lld)\n" : "\n",
                           (long long)v->n_element);
    }
}

/* Changes the step and the stop time of a run of co-simulation whose steps must be communication steps. The run gets a whole number of
 * steps, and a step gets a whole number of internal steps. */
static void fit_steps(const wr_fmi_interface *cs, double start_s, double *stop_s, double *step_s)
{
    const double internal_s = cs->fixed_internal_step_s;
    if (internal_s > 0.0) {
        *step_s = internal_s * fmax(1.0, rint(*step_s / internal_s));
        *stop_s = start_s + *step_s * fmax(1.0, rint((*stop_s - start_s) / *step_s));
    } else if (!(cs->flags & 1U << WR_FMI_VARIABLE_STEP))
        *step_s = (*stop_s - start_s) / fmax(1.0, rint((*stop_s - start_s) / *step_s));
}

char *wr_fmi_config_text(const wr_description *d, const char *fmu)
{
    const wr_fmi_experiment *const e = &d->experiment;
    const wr_fmi_interface *const me = &d->interface[WR_FMI_ME];
    const char *const name = me->identifier ? me->identifier : d->interface[WR_FMI_CS].identifier;
    const double start_s = isnan(e->start_s) ? 0.0 : e->start_s;
    double stop_s = e->stop_s > start_s ? e->stop_s : start_s + STOP_S;
    double step_s = e->step_s > 0.0 ? e->step_s : (stop_s - start_s) / POINTS;
    if (!me->identifier)
        fit_steps(&d->interface[WR_FMI_CS], start_s, &stop_s, &step_s);
    wr_text_buffer to = {0};
    wr_text_buffer_add(&to, "[simulation]\n");
    if (start_s < 0.0 || start_s > 0.0)
        put_number(&to, "start", start_s);
    put_number(&to, "stop", stop_s);
    put_number(&to, "communication_step", step_s);
    if (e->tolerance > 0.0)
        put_number(&to, "rtol", e->tolerance);
    wr_text_buffer_add(&to, "\n[output]\nfile = \"%s.csv\"\n\n[[component]]\nname = \"%s\"\nfmu = ",
                       name ? name : "fmu", name ? name : "fmu");
    wr_toml_string_add(&to, fmu);
    wr_text_buffer_add(&to, "\n");
    put_variables(&to, d, WR_FMI_PARAMETER, "parameters = { NAME = VALUE, ... }");
    put_variables(&to, d, WR_FMI_INPUT,
                  "Inputs keep their start values until a [[connection]] drives them:");
    return wr_text_buffer_take(&to);
}

char *wr_fmi_config_of_file(const char *path, wrsim_error *err)
{
    const wr_fmi_ops *const reader = wr_module_load(WR_MODULE_FMI, err);
    wr_archive *archive = reader ? reader->archive_open(path, err) : NULL;
    if (!archive)
        return NULL;
    size_t n_bytes;
    const char *const xml = reader->archive_description(archive, &n_bytes);
    wr_description *d = reader->description_read(path, xml, n_bytes, err);
    const char *const slash =
        strrchr(path, '/'); /* paths of the config begin at the FMU's folder */
    char *const text = d ? wr_fmi_config_text(d, slash ? slash + 1 : path) : NULL;
    if (d && !text)
        wr_error_memory(err);
    reader->description_destroy(&d);
    reader->archive_close(&archive);
    return text;
}

int wr_fmi_config_is_fmu(const char *path)
{
    static const char mark[] = "PK\003\004"; /* of a zip file */
    char begin[sizeof mark - 1] = "";
    FILE *const file = wr_open_file_is_pipe(path) ? NULL : wr_open_file_read(path);
    if (!file)
        return 0;
    const size_t n = fread(begin, 1, sizeof begin, file);
    (void)fclose(file); /* the file is open for reading only */
    return n == sizeof begin && memcmp(begin, mark, n) == 0;
}
