/* Makes docs/config_reference.md from the key table and the lists of counters.
 *
 *  gen_reference                prints the page
 *  gen_reference --check FILE   exit code 1 if FILE differs from the page
 *
 * Thread: one. Real-time: no.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/config/keys.h"
#include "wrsim/stats.h"

static const char intro[] =
    "# Config reference\n"
    "\n"
    "This page is made from runtime/config/keys.c and include/wrsim/stats.h by "
    "tools/gen_reference.c; change\n"
    "those, then run `meson compile -C build update_reference`.\n"
    "\n"
    "A config is a [TOML](https://toml.io) file. Unknown keys are errors. Any key can be set on "
    "the\n"
    "command line with `-D key=value`; the value is TOML, and a word that is no TOML counts as a\n"
    "string: `-D simulation.rtol=1e-5 -D relaxation.scheme=gauss_seidel`. Components and "
    "subsystems\n"
    "have names: `-D component.crank.parameters.inertia=1.2`,\n"
    "`-D subsystem.airpath.solver.kind=rk4`. A glob stands for all matching names of a repeated\n"
    "table: `-D 'component.cyl*.tolerance_factor=1'`. `-D '*.solver.kind=dopri54'` sets a key of "
    "`[solver]` "
    "and "
    "of\n"
    "each subsystem that sets this key itself.\n"
    "\n"
    "The program normally decides keys marked *Expert* itself; `wrsim keys` lists them with "
    "`--all` "
    "only.\n"
    "\n"
    "A whole number is a valid real number; no key accepts `nan`. Files are UTF-8, at most 16 MiB. "
    "A\n"
    "string with characters beyond ASCII needs a space before its quote.\n";

static const struct {
    const char *name, *text;
} sections[] = {
    {"simulation", "Span, accuracy and structure of the simulation."},
    {"relaxation", "Iteration of windows. `window` may be written as one inline table:\n`window = "
                   "{ initial = 1e-3, min = 5e-5, max = 2e-2 }`. A window length that is not given "
                   "is\nadjusted to the given ones."},
    {"slack", "Slackened synchronisation, with relaxation.scheme = \"slack\": subsystems do not "
              "wait for one another."},
    {"realtime", "A slackened run against the wall clock (relaxation.scheme = \"slack\"): start "
                 "times of its periods, their\ndeadlines, and actions after a miss."},
    {"scheduler", "Threads and cores. These keys do not change results by a single bit."},
    {"output",
     "Recorded signals and result files. Relative names are relative to the working folder."},
    {"solver", "The solver of every subsystem without its own value. A `[[subsystem]]` may set the "
               "same keys in its\n`solver` table; this table has the values of all others."},
};

/* An example for each table of wr_tables, in the same order. */
static const char component_example[] = "[[component]]\n"
                                        "name = \"cyl1\"\n"
                                        "model = \"engine.cylinder\"\n"
                                        "parameters = { firing_offset = 0.0 }\n";
static const char connection_example[] = "[[connection]]\n"
                                         "from = \"airpath.p_intake\"\n"
                                         "to = [\"cyl1.p_intake\", \"cyl2.p_intake\"]\n"
                                         "\n"
                                         "[[connection]]\n"
                                         "from = \"airpath\"\n"
                                         "to = \"cyl3\"\n"
                                         "signals = [\"p_intake\", \"T_im -> T_intake\"]\n";
static const char subsystem_example[] = "[[subsystem]]\n"
                                        "name = \"cylinders\"\n"
                                        "components = [\"cyl*\"]\n"
                                        "solver = { kind = \"rosenbrock\" }\n";
static const char plugin_example[] = "[[plugin]]\n"
                                     "file = \"my_model.so\"\n";
static const char port_example[] = "[[port]]\n"
                                   "name = \"pedal\"\n"
                                   "to = \"driver.pedal\"\n"
                                   "start = 0.0\n"
                                   "\n"
                                   "[[port]]\n"
                                   "name = \"speed\"\n"
                                   "from = \"crank.speed\"\n";
static const char scenario_example[] = "[[scenario]]\n"
                                       "name = \"stuck_boost\"\n"
                                       "signal = \"sensors.p_im\"\n"
                                       "action = \"freeze\"\n"
                                       "at = 2.0\n"
                                       "until = 3.0\n"
                                       "\n"
                                       "[[scenario]]\n"
                                       "name = \"worn\"\n"
                                       "parameter = \"crank.friction\"\n"
                                       "value = 1.5\n"
                                       "when = \"crank.speed > 300\"\n";
static const char *const examples[] = {component_example, connection_example, subsystem_example,
                                       plugin_example,    port_example,       scenario_example};

static void print_section(FILE *page, const char *name, const char *text)
{
    const size_t n_name = strlen(name);
    fprintf(page, "\n## [%s]\n\n%s\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
            name, text);
    char type[256];
    for (const wr_key *key = wr_keys; key->path; key++) {
        if (strncmp(key->path, name, n_name) != 0 || key->path[n_name] != '.')
            continue;
        fprintf(page, "| `%s` | ", key->path + n_name + 1);
        wr_key_type_text(key, type, sizeof type);
        fputs(type, page);
        if (key->default_text)
            fprintf(page, " | `%s`", key->default_text);
        else
            fprintf(page, " | required");
        fprintf(page, " | %s%s |\n", key->audience == WR_KEY_EXPERT ? "*Expert.* " : "", key->help);
    }
}

#define MEMBER(type, name, text) "| `" #name "` | " text " |\n"
#define KEYED_MEMBER(type, name, key, text) "| `" key "` | " text " |\n"
#define KEYED_PURPOSE(name, key, text) "| `" key "` | " text " |\n"
static const char counters[] =
    "\n## The summary as JSON\n\n`output.json` contains these counters of windows (with "
    "relaxation.scheme = \"slack\", of periods), among others:\n\n| member | meaning "
    "|\n|---|---|\n" WRSIM_WINDOW_STATS(
        KEYED_MEMBER) "\nEach entry of its array `subsystems` contains, with all sweeps and "
                      "rejected windows:\n\n| member | meaning "
                      "|\n|---|---|\n" WRSIM_SUBSYSTEM_STATS(
                          MEMBER, MEMBER,
                          MEMBER) "\nIf `simulation.points` is not `off`, the member `points` of "
                                  "an entry has the counts `n` and "
                                  "`n_repeated` and the costs `cost_s` and `repeated_s` of each "
                                  "purpose:\n\n| member | purpose "
                                  "|\n|---|---|\n" WRSIM_PURPOSES(KEYED_PURPOSE);

/* Returns the number of keys whose section the page has. */
static int count_printed(void)
{
    int n_printed = 0;
    for (const wr_key *key = wr_keys; key->path; key++)
        for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
            n_printed += strncmp(key->path, sections[i].name, strcspn(key->path, ".")) == 0;
    return n_printed;
}

static int print_page(FILE *page)
{
    int n_keys = 0;
    while (wr_keys[n_keys].path)
        n_keys++;
    int n_tables = 0;
    while (wr_tables[n_tables].name)
        n_tables++;
    if (count_printed() != n_keys || n_tables != (int)(sizeof examples / sizeof examples[0])) {
        fprintf(stderr, "gen_reference: a key's section or table is missing; add its row in "
                        "tools/gen_reference.c\n");
        return 1;
    }
    fputs(intro, page);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        print_section(page, sections[i].name, sections[i].text);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const wr_table *const table = &wr_tables[i];
        fprintf(page,
                "\n## [[%s]]\n\n%s The table is repeated for every %s.\n\n"
                "| key | type | meaning |\n|---|---|---|\n",
                table->name, table->help,
                strcmp(table->name, "plugin") == 0 ? "plug-in" : table->name);
        for (const wr_table_key *key = table->key; key->name; key++)
            fprintf(page, "| `%s` | %s | %s |\n", key->name, key->type, key->help);
        fprintf(page, "\n```toml\n%s```\n", examples[i]);
    }
    fputs(counters, page);
    return ferror(page) != 0;
}

static int check_file(const char *file)
{
    char *wanted = NULL;
    size_t n_wanted = 0;
    FILE *const page = open_memstream(&wanted, &n_wanted);
    if (!page)
        return 1;
    int has_failed = print_page(page);
    has_failed |= fclose(page) != 0;
    FILE *const given = has_failed ? NULL : fopen(file, "rb");
    has_failed |= !given;
    for (size_t i = 0; !has_failed && i <= n_wanted; i++)
        has_failed = fgetc(given) != (i < n_wanted ? (unsigned char)wanted[i] : EOF);
    if (given)
        fclose(given);
    free(wanted);
    if (has_failed)
        fprintf(stderr, "%s differs from the tables; run meson compile -C build update_reference\n",
                file);
    return has_failed;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--check") == 0)
        return check_file(argv[2]);
    if (argc == 1)
        return print_page(stdout);
    fprintf(stderr, "usage: gen_reference [--check FILE]\n");
    return 2;
}
