/* State-space files and fragments of configs. See model_file.h.
 *
 * Thread: any. Real-time: no.
 */
#include "offline/reduction/model_file.h"

#include <string.h>

#include "base/text_buffer.h"
#include "runtime/record/own_file.h"
#include "subsystems/model_host/linear_model.h"

static void put_number(wr_text_buffer *to, double value, const char *after)
{
    wr_text_buffer_number(to, value);
    wr_text_buffer_add(to, "%s", after);
}

static void put_signals(wr_text_buffer *to, const char *word, const wr_linear_signal *signal, int n,
                        const double *offset)
{
    for (int i = 0; i < n; i++) {
        const int is_word = signal[i].unit[0] && !strpbrk(signal[i].unit, " \t\n");
        wr_text_buffer_add(to, "%s %s %s ", word, signal[i].name, is_word ? signal[i].unit : "-");
        put_number(to, signal[i].nominal, " ");
        put_number(to, signal[i].value + (offset ? offset[i] : 0.0), "\n");
    }
}

/* Writes non-zero entries by rows. */
static void put_matrix(wr_text_buffer *to, char letter, const double *m, int n_row, int n_column)
{
    for (int i = 0; i < n_row; i++)
        for (int j = 0; j < n_column; j++) {
            const double value = m[j * n_row + i];
            if (!(value > 0.0 || value < 0.0))
                continue;
            wr_text_buffer_add(to, "%c %d %d ", letter, i + 1, j + 1);
            put_number(to, value, "\n");
        }
}

wrsim_status wr_model_file_write(const char *path, const char *model,
                                 const wr_linear_system *system, const wr_state_space *s,
                                 const char *about, wrsim_error *err)
{
    wr_text_buffer to = {0};
    wr_text_buffer_add(
        &to, WR_LINEAR_MODEL_MARK "\n" WR_OWN_TOOL_MARK ", reduce\n%smodel %s\nstates %d\n", about,
        model, s->n);
    for (int i = 0; i < s->n; i++) {
        wr_text_buffer_add(&to, "state %d ", i + 1);
        put_number(&to, s->nominal[i], "\n");
    }
    put_signals(&to, "input", system->input, s->n_input, NULL);
    put_signals(&to, "output", system->output, s->n_output, s->offset);
    put_matrix(&to, 'A', s->A, s->n, s->n);
    put_matrix(&to, 'B', s->B, s->n, s->n_input);
    put_matrix(&to, 'C', s->C, s->n_output, s->n);
    put_matrix(&to, 'D', s->D, s->n_output, s->n_input);
    for (int i = 0; i < s->n; i++)
        if (s->rate[i] > 0.0 || s->rate[i] < 0.0) {
            wr_text_buffer_add(&to, "rate %d ", i + 1);
            put_number(&to, s->rate[i], "\n");
        }
    return wr_text_buffer_write(&to, path, err);
}

wrsim_status wr_model_fragment_write(const char *path, const char *model, const char *file,
                                     const wr_linear_system *system,
                                     const wr_linearised *from_config, wrsim_error *err)
{
    wr_text_buffer to = {0};
    wr_text_buffer_add(&to,
                       WR_OWN_TOOL_MARK
                       "\n# wrsim reduce: add this to a config beside '%s'.\n[[plugin]]\nfile = "
                       "\"%s\"\n\n[[component]]\nname = \"%s\"\nmodel = \"%s\"\n",
                       file, file, model, model);
    for (int j = 0; j < system->n_input; j++) {
        const char *const driver = from_config ? from_config->driver[j] : NULL;
        wr_text_buffer_add(&to, "%s\n%s[[connection]]\n%sfrom = \"%s\"\n%sto = \"%s.%s\"\n",
                           driver ? "" : "\n# COMPONENT.OUTPUT: the output that drives this input",
                           driver ? "" : "# ", driver ? "" : "# ",
                           driver ? driver : "COMPONENT.OUTPUT", driver ? "" : "# ", model,
                           system->input[j].name);
    }
    wr_text_buffer_add(&to, "\n# Its outputs:\n");
    for (int i = 0; i < system->n_output; i++)
        wr_text_buffer_add(&to, "#     %s.%s%s%s\n", model, system->output[i].name,
                           from_config ? "    instead of " : "",
                           from_config ? from_config->output[i] : "");
    return wr_text_buffer_write(&to, path, err);
}
