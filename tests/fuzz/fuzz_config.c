/* Fuzz target of the config reader. Any bytes give settings or errors, never a crash. A dump of accepted settings reads back to the
 * same settings.
 *
 * A first line "#-D key=value" of the input is an override, too.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/config/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_config: %s\n", what);
    abort();
}

static void check_round_trip(const wr_settings *settings, wr_dump_kind kind)
{
    wr_diag diag = {0};
    char *const first = wr_settings_dump(settings, WR_DUMP_ALL);
    char *const text = wr_settings_dump(settings, kind);
    require(first && text, "no dump");
    wr_settings *again = wr_settings_parse(text, strlen(text), "fuzz.toml", NULL, 0, &diag);
    if (!again)
        fprintf(stderr, "%s\n%s\n", diag.n_items ? diag.items[0].text : "?", text);
    require(again != NULL, "a dump does not load");
    char *const second = wr_settings_dump(again, WR_DUMP_ALL);
    require(second && strcmp(first, second) == 0, "a dump changes when it is loaded");
    free(second);
    free(text);
    free(first);
    wr_settings_destroy(&again);
    wr_diag_done(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    const char *const text = (const char *)data;
    char override_text[256] = "";
    if (n_bytes > 4 && memcmp(text, "#-D ", 4) == 0) {
        size_t n = 0;
        while (4 + n < n_bytes && text[4 + n] != '\n' && n + 1 < sizeof override_text)
            n++;
        memcpy(override_text, text + 4, n);
    }
    const wr_override override = {override_text};
    wr_diag diag = {0};
    wr_settings *settings =
        wr_settings_parse(text, n_bytes, "fuzz.toml", &override, override_text[0] != '\0', &diag);
    require(settings || diag.n_items > 0, "neither settings nor errors");
    for (int i = 0; i < diag.n_items; i++)
        require(diag.items[i].text[0] != '\0', "an error without text");
    if (diag.n_items == 0) {
        check_round_trip(settings, WR_DUMP_ALL);
        check_round_trip(settings, WR_DUMP_SHORT);
    }
    wr_settings_destroy(&settings);
    wr_diag_done(&diag);
    return 0;
}
