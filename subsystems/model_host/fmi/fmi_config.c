/* Writes a config that runs one FMU. See fmi_config.h. Thread: any. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/fmi_config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/module.h"
#include "base/names.h"
#include "base/open_file.h"
#include "base/toml_string.h"
#include "subsystems/model_host/fmi/fmi.h"
#include "subsystems/model_host/fmi/unpacked.h"

static const double STOP_S =
    1.0; /* stop time after the start without a default experiment (assumed) */
static const double POINTS = 1000; /* communication points without a default step (assumed) */

static void put_number(wr_text_buffer *to, const char *key, double value)
{
    wr_text_buffer_add(to, "%s = ", key);
    wr_text_buffer_number(to, value);
    wr_text_buffer_add(to, "\n");
}

void wr_fmi_config_put_comment(wr_text_buffer *to, const char *text)
{
    static const char DELETE = '\x7f';
    for (; *text; text++)
        wr_text_buffer_put(to, (unsigned char)*text < ' ' || *text == DELETE ? " " : text, 1);
}

/* Adds a comment with the variables of a causality and their first start values. */
static void put_variables(wr_text_buffer *to, const wr_description *d, wr_fmi_causality causality,
                          const char *title)
{
    int n = 0;
    for (int i = 0; i < d->n_variable; i++) {
        const wr_fmi_variable *const v = &d->variable[i];
        if (v->causality != causality || v->type == WR_FMI_STRING || v->type == WR_FMI_BINARY ||
            v->type == WR_FMI_CLOCK || wr_description_is_second_input(d, i))
            continue;
        if (n++ == 0)
            wr_text_buffer_add(to, "# %s\n", title);
        wr_text_buffer_add(to, "#   ");
        wr_fmi_config_put_comment(to, v->name);
        if (v->start && v->n_start > 0) {
            wr_text_buffer_add(to, " = ");
            wr_text_buffer_number(to, v->start[0]);
        }
        wr_text_buffer_add(to, v->n_element > 1 ? " (array of %lld)\n" : "\n",
                           (long long)v->n_element);
    }
}

wr_fmi_config_times wr_fmi_config_times_of(const wr_fmi_experiment *e)
{
    wr_fmi_config_times t = {.start_s = isnan(e->start_s) ? 0.0 : e->start_s,
                             .tolerance = e->tolerance,
                             .is_stop_chosen = isnan(e->stop_s)};
    t.stop_s = t.is_stop_chosen ? t.start_s + STOP_S : e->stop_s;
    const double length_s = t.stop_s > t.start_s ? t.stop_s - t.start_s : STOP_S;
    t.step_s = e->step_s > 0.0 ? e->step_s : length_s / POINTS;
    return t;
}

void wr_fmi_config_fit_steps(wr_fmi_config_times *t, const wr_fmi_interface *cs)
{
    const double internal_s = cs->fixed_internal_step_s;
    if (!(t->stop_s > t->start_s))
        return; /* the config refuses these times */
    if (internal_s > 0.0) {
        t->step_s = internal_s * fmax(1.0, rint(t->step_s / internal_s));
        t->stop_s = t->start_s + t->step_s * fmax(1.0, rint((t->stop_s - t->start_s) / t->step_s));
    } else if (!(cs->flags & 1U << WR_FMI_VARIABLE_STEP))
        t->step_s =
            (t->stop_s - t->start_s) / fmax(1.0, rint((t->stop_s - t->start_s) / t->step_s));
}

void wr_fmi_config_put_times(wr_text_buffer *to, const wr_fmi_config_times *t)
{
    wr_text_buffer_add(to, "[simulation]\n");
    if (t->start_s < 0.0 || t->start_s > 0.0)
        put_number(to, "start", t->start_s);
    if (t->is_stop_chosen)
        wr_text_buffer_add(to, "# The default experiment has no stop time. Set the stop time.\n");
    else if (!(t->stop_s > t->start_s))
        wr_text_buffer_add(
            to, "# The default experiment does not end after its start. Set a later stop.\n");
    put_number(to, "stop", t->stop_s);
    put_number(to, "communication_step", t->step_s);
    if (t->tolerance > 0.0)
        put_number(to, "rtol", t->tolerance);
}

char *wr_fmi_config_text(const wr_description *d, const char *fmu)
{
    const wr_fmi_interface *const me = &d->interface[WR_FMI_ME];
    const char *const given = me->identifier ? me->identifier : d->interface[WR_FMI_CS].identifier;
    char begin[WR_NAMES_MAX_BYTES]; /* FMI does not limit the length of identifiers */
    snprintf(begin, sizeof begin, "%s", given ? given : "");
    const char *const name = wr_names_is_identifier(begin) ? begin : "fmu";
    wr_fmi_config_times times = wr_fmi_config_times_of(&d->experiment);
    if (!me->identifier)
        wr_fmi_config_fit_steps(&times, &d->interface[WR_FMI_CS]);
    wr_text_buffer to = {0};
    wr_fmi_config_put_times(&to, &times);
    wr_text_buffer_add(
        &to, "\n[output]\nfile = \"%s.csv\"\n\n[[component]]\nname = \"%s\"\nfmu = ", name, name);
    wr_toml_string_add(&to, fmu);
    wr_text_buffer_add(&to, "\n");
    put_variables(&to, d, WR_FMI_PARAMETER, "parameters = { NAME = VALUE, ... }");
    put_variables(&to, d, WR_FMI_INPUT,
                  "Inputs keep their start values until a [[connection]] drives them:");
    return wr_text_buffer_take(&to);
}

const char *wr_fmi_config_obstacle(const wr_description *d, const char *platforms)
{
    if (!d->interface[WR_FMI_ME].identifier && !d->interface[WR_FMI_CS].identifier)
        return "it has neither model exchange nor co-simulation; export the model for model "
               "exchange";
    for (int i = 0; i < d->n_variable; i++)
        if (d->variable[i].type == WR_FMI_CLOCK)
            return "it has clocks; export the model without clocks";
    return strstr(platforms, d->version == 2 ? "linux64" : "x86_64-linux")
               ? NULL
               : "it has no binary for Linux on x86-64; export the FMU for this platform";
}

char *wr_fmi_config_of_file(const char *path, int *ret_is_stop_chosen, wrsim_error *err)
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
    const char *const why =
        d ? wr_fmi_config_obstacle(d, reader->archive_platforms(archive)) : NULL;
    char *const text = d && !why ? wr_fmi_config_text(d, slash ? slash + 1 : path) : NULL;
    if (why)
        wr_error_set_at(err, WRSIM_E_MODEL, &(wr_where){.file = path},
                        "wrsim cannot run the FMU: %s", why);
    else if (d && !text)
        wr_error_memory(err);
    *ret_is_stop_chosen = d && wr_fmi_config_times_of(&d->experiment).is_stop_chosen;
    reader->description_destroy(&d);
    reader->archive_close(&archive);
    return text;
}

int wr_fmi_config_is_fmu(const char *path)
{
    static const char mark[] = "PK\003\004"; /* of a zip file */
    char begin[sizeof mark - 1] = "";
    char outer[PATH_MAX];
    const size_t n_outer = wr_open_file_part(path); /* the FMU may be in an archive */
    if (n_outer == 0 || n_outer >= sizeof outer)
        return wr_unpacked_is_fmu(path);
    snprintf(outer, sizeof outer, "%.*s", (int)n_outer, path);
    FILE *const file = wr_open_file_read(outer);
    if (!file)
        return 0;
    const size_t n = fread(begin, 1, sizeof begin, file);
    (void)fclose(file); /* the file is open for reading only */
    return n == sizeof begin && memcmp(begin, mark, n) == 0;
}

void wr_fmi_config_refuse(const char *path, const char *otherwise, const wr_where *where,
                          wr_diag *diag)
{
    struct stat info;
    FILE *const file = wr_open_file_read(path);
    if (!file) {
        wr_diag_add(diag, WRSIM_E_IO, where,
                    "FMU '%s' cannot be read: %s; check the path and its permissions", path,
                    strerror(errno));
        return;
    }
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode))
        wr_diag_add(diag, WRSIM_E_IO, where,
                    "'%s' is a folder without " WR_UNPACKED_DESCRIPTION
                    "; name the file X.fmu, or the folder of an unpacked FMU",
                    path);
    else
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "'%s' is not an FMU, which is a zip file; export the FMU again, or %s", path,
                    otherwise);
    (void)fclose(file); /* the file is open for reading only */
}
