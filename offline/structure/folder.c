/* The output folder of a tool. See folder.h. Thread: one owner. Real-time: no. */
#include "offline/structure/folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/same_file.h"
#include "runtime/record/own_file.h"
#include "runtime/sim/run_files.h"
#include "runtime/sim/simulation.h"

wrsim_status wr_folder_open(wr_folder *ret_folder, const char *path, const char *input,
                            const wrsim_config *config, wrsim_error *err)
{
    struct stat about;
    *ret_folder = (wr_folder){.path = path, .input = input, .config = config};
    const int has_made = mkdir(path, 0777) == 0;
    const int error_number = has_made ? 0 : errno;
    if (has_made || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return WRSIM_OK;
    return wr_error_set_at(err, WRSIM_E_IO, &(wr_where){.file = path},
                           "the folder cannot be created: %s; choose another -o",
                           strerror(error_number));
}

/* Returns a description of the file folder->file if the tool reads this file, else NULL. */
static const char *find_input(const wr_folder *folder)
{
    const char *const inputs[] = {folder->input, folder->more_input};
    for (size_t i = 0; i < WR_COUNT_OF(inputs); i++)
        if (inputs[i] && wr_same_file(folder->file, inputs[i]))
            return "an input of this command";
    return folder->config ? wr_run_files_input(folder->config->settings, folder->file) : NULL;
}

const char *wr_folder_file(wr_folder *folder, wrsim_error *err, const char *format, ...)
{
    char name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    for (char *at = name; *at; at++) /* a name with '/' makes no subfolder */
        if (*at == '/')
            *at = '_';
    const int n = snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    const int is_whole = n > 0 && n < (int)sizeof folder->file;
    const char *const refusal = is_whole ? wr_own_file_refusal(folder->file, WR_OWN_TOOL) : NULL;
    const char *const input = refusal || !is_whole ? NULL : find_input(folder);
    if (is_whole && !refusal && !input) {
        folder->n_file++;
        return folder->file;
    }
    const wr_where where = {.file = folder->file};
    if (!is_whole)
        wr_error_set_at(err, WRSIM_E_IO, &where, "the path is too long; choose a shorter -o");
    else if (input)
        wr_error_set_at(err, WRSIM_E_IO, &where,
                        "the command would overwrite this file, which is %s; choose another -o",
                        input);
    else
        wr_error_set_at(
            err, WRSIM_E_IO, &where,
            "the file already exists and is not %s; choose another -o, or remove the file",
            refusal);
    return NULL;
}

wrsim_status wr_folder_write(wr_folder *folder, const char *name, wr_text_buffer *text,
                             wrsim_error *err)
{
    const char *const path = wr_folder_file(folder, err, "%s", name);
    if (path)
        return wr_text_buffer_write(text, path, err);
    wr_text_buffer_done(text);
    return WRSIM_E_IO;
}

wrsim_status wr_folder_write_text(wr_folder *folder, const char *name, char *text, wrsim_error *err)
{
    wr_text_buffer buffer = {.is_failed = !text};
    wr_text_buffer_add(&buffer, "%s", text ? text : "");
    free(text);
    return wr_folder_write(folder, name, &buffer, err);
}
