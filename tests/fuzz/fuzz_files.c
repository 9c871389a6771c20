/* Fuzz target of the files that a config names. For any bytes, wrsim refuses the file with a message or runs a short simulation.
 *
 * The first byte selects the meaning of the other bytes: S state-space file, P pattern of a Jacobian, R recorded subsystem, D drive
 * cycle, L log of a slackened run, C damage to a checkpoint (see damage()).
 */
#include <string.h>

#include "base/diag.h"
#include "base/state_io.h"
#include "wrsim/wrsim.h"

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

#define SHORT                                                                                      \
    "[simulation]\nstop = 0.02\ncommunication_step = 0.005\n[scheduler]\nworkers = 1\npin = "      \
    "false\n"                                                                                      \
    "[solver]\nkind = \"euler\"\nstep = 1e-3\n"
#define PAIR                                                                                       \
    "[[component]]\nname = \"left\"\nmodel = \"oscillator.mass\"\nstart = { x = 1.0 }\n"           \
    "[[component]]\nname = \"right\"\nmodel = \"oscillator.mass\"\n"                               \
    "[[connection]]\nfrom = \"left.x\"\nto = \"right.x_neighbour\"\n"                              \
    "[[connection]]\nfrom = \"right.x\"\nto = \"left.x_neighbour\"\n"
#define CUT                                                                                        \
    "[[subsystem]]\nname = \"l\"\ncomponents = [\"left\"]\n"                                       \
    "[[subsystem]]\nname = \"r\"\ncomponents = [\"right\"]\n"

/* Config texts; %s is the path of the file. */
static const char STATE_SPACE[] = SHORT "[[plugin]]\nfile = \"%s\"\n"
                                        "[[component]]\nname = \"c\"\nmodel = \"m\"\n";
static const char PATTERN[] = SHORT "[[component]]\nname = \"c\"\nmodel = \"robertson\"\n"
                                    "[[subsystem]]\nname = \"s\"\ncomponents = [\"c\"]\nsolver = { "
                                    "kind = \"linimp\", step = 1e-3, pattern = \"%s\" }\n";
static const char RECORDED[] = SHORT PAIR
    "[[subsystem]]\nname = \"l\"\ncomponents = [\"left\"]\n"
    "[[subsystem]]\nname = \"r\"\ncomponents = [\"right\"]\nkind = \"replay\"\nfile = \"%s\"\n";
static const char DRIVE_CYCLE[] =
    SHORT PAIR "[[scenario]]\nname = \"s\"\nsignal = \"left.x\"\naction = \"replay\"\nat = "
               "0.0\nfile = \"%s\"\n"
               "column = \"speed\"\n";
static const char LOG[] =
    SHORT PAIR CUT "[relaxation]\nscheme = \"slack\"\n[slack]\nperiod = 0.005\nreplay = \"%s\"\n";
static const char CHECKPOINT[] = SHORT PAIR CUT;

/* Returns a prepared simulation, or NULL if the config fails. A failure must have a message. */
static wrsim *prepared(const char *text)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wrsim_status status =
        wrsim_config_from_text(text, strlen(text), "fuzz.toml", NULL, 0, NULL, NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, &err);
    wrsim_config_destroy(&config);
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    wr_fuzz_require(status >= 0 || err.text[0] != '\0', "an error without text");
    if (status < 0)
        wrsim_destroy(&sim);
    return sim;
}

static void run(const char *config, const char *path)
{
    char text[4096];
    wrsim_error err = {0};
    snprintf(text, sizeof text, config, path);
    wrsim *sim = prepared(text);
    if (!sim)
        return;
    const wrsim_status status = wrsim_run(sim, &err);
    wr_fuzz_require(status >= 0 || err.text[0] != '\0', "a failure without text");
    wrsim_destroy(&sim);
}

/* ---- checkpoints ---- */

/* Bytes: size of a checkpoint's header, offset of its check sum (runtime/sim/checkpoint.c), and both for a section (base/state_io.c). */
enum { HEAD = 80, SUM = 76, SECTION = 32, SECTION_SUM = 24 };

/* Sets all check sums to the sums of the present bytes, so that the reader gets past the sums. */
static void mend_sums(uint8_t *bytes, size_t n)
{
    const uint32_t sum = wr_state_sum(0, bytes, SUM);
    memcpy(bytes + SUM, &sum, sizeof sum);
    for (size_t at = HEAD; n - at >= SECTION;) {
        uint64_t length;
        memcpy(&length, bytes + at + SECTION_SUM - sizeof length, sizeof length);
        if (length > n - at - SECTION)
            return;
        const uint32_t begin = wr_state_sum(0, bytes + at, SECTION_SUM);
        const uint64_t whole = wr_state_sum(begin, bytes + at + SECTION, (size_t)length);
        memcpy(bytes + at + SECTION_SUM, &whole, sizeof whole);
        at += SECTION + (size_t)length;
    }
}

/* Damages the n bytes of a checkpoint and returns the number of bytes left. Each three bytes after data[0] are a place (two bytes, in
 * units of n / 0xffff) and a new value. The place 0xffff cuts off the end of the file. If data[0] is not 0, damage() then corrects the
 * check sums. */
static size_t damage(uint8_t *bytes, size_t n, const uint8_t *data, size_t n_data)
{
    size_t n_left = n;
    for (size_t i = 1; i + 2 < n_data; i += 3) {
        const size_t place = (size_t)data[i] << 8 | data[i + 1];
        if (place == 0xffff)
            n_left = n * data[i + 2] / 256;
        else
            bytes[place * n / 0xffff] = data[i + 2];
    }
    if (n_data > 0 && data[0] && n_left >= HEAD)
        mend_sums(bytes, n_left);
    return n_left;
}

/* Reads a damaged checkpoint. A run must succeed after a refusal or an undamaged checkpoint. If the check sums fit the damage, the
 * values are arbitrary, so restore() tests only the reading. */
static void restore(const uint8_t *data, size_t n_data)
{
    static uint8_t *kept;
    static size_t n_kept;
    wrsim_error err = {0};
    wrsim *sim = prepared(CHECKPOINT);
    wr_fuzz_require(sim != NULL, "the simulation");
    if (!kept) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/fuzz_files_%d.ckpt", (int)getpid());
        wr_fuzz_require(wrsim_advance(sim, 0.01, &err) == WRSIM_OK &&
                            wrsim_checkpoint_write(sim, path, &err) == WRSIM_OK,
                        "a checkpoint");
        FILE *const file = fopen(path, "rb");
        wr_fuzz_require(file && fseek(file, 0, SEEK_END) == 0, "a checkpoint's file");
        n_kept = (size_t)ftell(file);
        rewind(file);
        kept = malloc(n_kept);
        wr_fuzz_require(kept && fread(kept, 1, n_kept, file) == n_kept, "a checkpoint's bytes");
        fclose(file);
        unlink(path);
    }
    uint8_t *const bytes = malloc(n_kept);
    wr_fuzz_require(bytes != NULL, "memory");
    memcpy(bytes, kept, n_kept);
    const size_t n = damage(bytes, n_kept, data, n_data);
    const int is_same = n == n_kept && memcmp(bytes, kept, n) == 0,
              has_sums = n_data == 0 || !data[0];
    const wr_fuzz_file file = wr_fuzz_file_open(bytes, n);
    const wrsim_status status = wrsim_checkpoint_read(sim, file.path, &err);
    wr_fuzz_require(status >= 0 || err.text[0] != '\0', "a refusal without text");
    wr_fuzz_require(!has_sums || (status >= 0) == is_same,
                    "a damaged checkpoint is taken, or a sound one is not");
    if (status < 0 || is_same)
        wr_fuzz_require(wrsim_run(sim, &err) == WRSIM_OK, "a run that does not go on");
    wr_fuzz_file_close(&file);
    free(bytes);
    wrsim_destroy(&sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    static const struct {
        char letter;
        const char *config;
    } kinds[] = {
        {'S', STATE_SPACE}, {'P', PATTERN}, {'R', RECORDED}, {'D', DRIVE_CYCLE}, {'L', LOG}};
    if (n_bytes == 0)
        return 0;
    if (data[0] == 'C')
        restore(data + 1, n_bytes - 1);
    for (size_t i = 0; i < WR_COUNT_OF(kinds); i++) {
        if (data[0] != (uint8_t)kinds[i].letter)
            continue;
        const wr_fuzz_file file = wr_fuzz_file_open(data + 1, n_bytes - 1);
        run(kinds[i].config, file.path);
        wr_fuzz_file_close(&file);
    }
    return 0;
}
