/* Fuzz target of the reader of FMUs. For any bytes, the reader returns a description, or an error with a message.
 *
 * The first byte selects the meaning of the other bytes: D description, Z archive.
 */
#include "subsystems/model_host/fmi/archive.h"
#include "subsystems/model_host/fmi/description_read.h"

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void check_index(int index, const wr_description *d)
{
    wr_fuzz_require(index >= 0 && index < d->n_variable, "an index of no variable");
}

/* Checks that all references of a description lead to variables. */
static void check_description(const wr_description *d)
{
    for (int i = 0; i < d->n_variable; i++) {
        const wr_fmi_variable *const v = &d->variable[i];
        wr_fuzz_require(v->n_element >= 1 && v->n_start >= 0 && v->name[0], "a variable");
        wr_fuzz_require(v->declared_type < d->n_type, "a declared type");
        if (v->alias_of >= 0)
            check_index(v->alias_of, d);
        if (v->derivative_of >= 0)
            check_index(v->derivative_of, d);
    }
    for (int k = 0; k < WR_FMI_LIST_COUNT; k++)
        for (int i = 0; i < d->list[k].n_row; i++) {
            const wr_fmi_unknown *const u = &d->list[k].row[i];
            check_index(u->variable, d);
            for (int j = 0; j < u->n_dependency; j++)
                check_index(u->dependency[j], d);
        }
}

static void read_description(const char *xml, size_t n_bytes)
{
    wrsim_error err = {0};
    wr_description *d = wr_description_read("fuzz.xml", xml, n_bytes, &err);
    if (d)
        check_description(d);
    wr_fuzz_require(d || err.text[0], "an error without text");
    wr_description_destroy(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    if (n_bytes > 0 && data[0] == 'D')
        read_description((const char *)data + 1, n_bytes - 1);
    if (n_bytes == 0 || data[0] != 'Z')
        return 0;
    const wr_fuzz_file file = wr_fuzz_file_open(data + 1, n_bytes - 1);
    wrsim_error err = {0};
    wr_archive *archive = wr_archive_open(file.path, &err);
    wr_fuzz_require(archive || err.text[0], "an error without text");
    if (archive) {
        size_t n;
        const char *const xml = wr_archive_description(archive, &n);
        read_description(xml, n);
        wr_fuzz_require(wr_archive_unpack(archive, &err) == WRSIM_OK || err.text[0],
                        "an error without text");
    }
    wr_archive_close(&archive);
    wr_fuzz_file_close(&file);
    return 0;
}
