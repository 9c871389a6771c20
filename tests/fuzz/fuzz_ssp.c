/* Fuzz target of the reader of SSP. For any bytes, the reader returns a system, or an error with a message. The config of a system is a
 * valid config.
 *
 * The input has the texts SystemStructure.ssd, values.ssv and mapping.ssm, which NUL bytes divide. The target puts the texts and the FMU
 * m.fmu into a package.
 */
#include <math.h>
#include <string.h>

#include <zip.h>

#include "runtime/config/settings.h"
#include "subsystems/model_host/fmi/ssp_config.h"
#include "subsystems/model_host/fmi/ssp_reader.h"

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

#define VARIABLE(name, number, causality, type)                                                    \
    "<ScalarVariable name=\"" name "\" valueReference=\"" number "\" causality=\"" causality       \
    "\" variability=\"discrete\">" type "</ScalarVariable>"
#define PARAMETER(name, number, type)                                                              \
    "<ScalarVariable name=\"" name "\" valueReference=\"" number                                   \
    "\" causality=\"parameter\" variability=\"fixed\">" type "</ScalarVariable>"

static const char description[] =
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"1\">"
    "<CoSimulation modelIdentifier=\"m\" canHandleVariableCommunicationStepSize=\"true\"/>"
    "<UnitDefinitions><Unit name=\"u\"><BaseUnit kg=\"1\" factor=\"3\" offset=\"1\"/></Unit>"
    "</UnitDefinitions><TypeDefinitions><SimpleType name=\"E\"><Enumeration>"
    "<Item name=\"a\" value=\"1\"/><Item name=\"b\" value=\"2\"/><Item name=\"c\" value=\"4\"/>"
    "</Enumeration></SimpleType></TypeDefinitions><ModelVariables>" VARIABLE(
        "x", "1", "input", "<Real start=\"0\" unit=\"bar\"/>") VARIABLE("y", "2", "output",
                                                                        "<Real unit=\"Pa\"/>")
        VARIABLE("i", "1", "input", "<Integer start=\"0\"/>") VARIABLE(
            "o", "2", "output",
            "<Integer/>") VARIABLE("f", "1", "input",
                                   "<Boolean start=\"0\"/>") VARIABLE("g", "2", "output",
                                                                      "<Boolean/>")
            VARIABLE("d", "3", "input", "<Enumeration declaredType=\"E\" start=\"1\"/>") VARIABLE(
                "e", "4", "output", "<Enumeration declaredType=\"E\"/>")
                PARAMETER("p", "5", "<Real start=\"1\" unit=\"u\"/>") PARAMETER(
                    "q", "5", "<Integer start=\"1\"/>") PARAMETER("r", "5",
                                                                  "<Boolean start=\"1\"/>")
                    PARAMETER("s", "5", "<String start=\"t\"/>") PARAMETER(
                        "t", "6",
                        "<Enumeration declaredType=\"E\" start=\"2\"/>") "</"
                                                                         "ModelVariables><"
                                                                         "ModelStructure><Outputs><"
                                                                         "Unknown "
                                                                         "index=\"2\"/><Unknown "
                                                                         "index=\"4\"/>"
                                                                         "<Unknown "
                                                                         "index=\"6\"/><Unknown "
                                                                         "index=\"8\"/></Outputs></"
                                                                         "ModelStructure></"
                                                                         "fmiModelDescription>";

static void add(zip_t *zip, const char *name, const void *bytes, size_t n_bytes)
{
    zip_source_t *const source = zip_source_buffer(zip, bytes, n_bytes, 0);
    const zip_int64_t i = zip_file_add(zip, name, source, 0);
    wr_fuzz_require(i >= 0 && zip_set_file_compression(zip, (zip_uint64_t)i, ZIP_CM_STORE, 0) == 0,
                    "an entry");
}

/* Begins an archive in memory. */
static zip_t *begin(zip_source_t **ret_source)
{
    zip_error_t error;
    zip_error_init(&error);
    *ret_source = zip_source_buffer_create(NULL, 0, 0, &error);
    zip_t *const zip = zip_open_from_source(*ret_source, ZIP_TRUNCATE, &error);
    wr_fuzz_require(zip != NULL, "an archive");
    zip_source_keep(*ret_source);
    zip_error_fini(&error);
    return zip;
}

/* Ends an archive. Returns its bytes. */
static uint8_t *end(zip_t *zip, zip_source_t *source, size_t *ret_n)
{
    zip_stat_t about;
    wr_fuzz_require(zip_close(zip) == 0 && zip_source_stat(source, &about) == 0, "an archive");
    uint8_t *const bytes = malloc((size_t)about.size);
    wr_fuzz_require(bytes && zip_source_open(source) == 0 &&
                        zip_source_read(source, bytes, about.size) == (zip_int64_t)about.size,
                    "the bytes of an archive");
    zip_source_close(source);
    zip_source_free(source);
    *ret_n = (size_t)about.size;
    return bytes;
}

/* Makes a package of the input. */
static uint8_t *make_package(const uint8_t *data, size_t n_bytes, size_t *ret_n)
{
    static const char *const names[] = {"SystemStructure.ssd", "values.ssv", "mapping.ssm"};
    zip_source_t *source, *fmu_source;
    size_t n_fmu;
    zip_t *const fmu = begin(&fmu_source);
    add(fmu, "modelDescription.xml", description, strlen(description));
    uint8_t *const model = end(fmu, fmu_source, &n_fmu);
    zip_t *const zip = begin(&source);
    add(zip, "m.fmu", model, n_fmu);
    for (int i = 0; i < 3; i++) {
        const uint8_t *const nul = memchr(data, 0, n_bytes);
        const size_t n = nul ? (size_t)(nul - data) : n_bytes;
        add(zip, names[i], data, n);
        data += n + (nul != NULL);
        n_bytes -= n + (nul != NULL);
    }
    uint8_t *const package = end(zip, source, ret_n);
    free(model);
    return package;
}

static void check_system(wr_ssp_system *s)
{
    s->start_s = s->stop_s = (double)NAN; /* the config's reader refuses some times */
    char *const text = wr_ssp_config_text(s, "", "");
    wr_diag diag = {0};
    wr_settings *settings = wr_settings_parse(text, strlen(text), "fuzz.toml", NULL, 0, &diag);
    if (diag.n_items > 0)
        fprintf(stderr, "%s\n%s\n", text, diag.items[0].text);
    wr_fuzz_require(settings && diag.n_items == 0, "a config with errors");
    wr_settings_destroy(&settings);
    wr_diag_done(&diag);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    static const uint8_t nothing[1];
    size_t n_package;
    uint8_t *const package = make_package(n_bytes > 0 ? data : nothing, n_bytes, &n_package);
    const wr_fuzz_file file = wr_fuzz_file_open(package, n_package);
    wrsim_error err = {0};
    wr_ssp_system *s = wr_ssp_reader_read(file.path, &err);
    wr_fuzz_require(s || err.text[0], "an error without text");
    if (s)
        check_system(s);
    wr_ssp_reader_destroy(&s);
    wr_fuzz_file_close(&file);
    free(package);
    return 0;
}
