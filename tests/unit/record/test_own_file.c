/* Files that a run may replace: missing files, empty files, and wrsim files of the kind that the run writes. */
#include "wr_test.h"

#include <unistd.h>

#include "runtime/record/log_columns.h"
#include "runtime/record/own_file.h"

static const char path[] = "test_own_file.tmp";

static void put(const char *bytes, size_t n_byte)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n_byte, file), n_byte);
    assert_int_equal(fclose(file), 0);
}

static int may_replace(wr_own_kind kind) { return wr_own_file_refusal(path, kind) == NULL; }

TEST(kinds)
{
    static const struct {
        const char *text;
        wr_own_kind kind; /* WR_OWN_COUNT: no file of wrsim */
    } files[] = {
        {"# wrsim 0.2.0\n# [simulation]\n", WR_OWN_RESULT},
        {"time [s],kind,a.x\n", WR_OWN_RESULT},
        {"time [s],kind\n0,c\n", WR_OWN_RESULT},
        {"time [s],kinds\n", WR_OWN_COUNT},
        {WR_LOG_CSV_EVENTS "\n", WR_OWN_LOG},
        {WR_LOG_CSV_WINDOWS ",a,b\n", WR_OWN_LOG},
        {"{\n  \"program\": \"wrsim csv\",\n", WR_OWN_DESCRIPTION},
        {"{\n  \"schema\": 1,\n  \"program\": \"wrsim\",\n", WR_OWN_SUMMARY},
        {"{\"schema\": 1, \"program\": \"wrsim bench\"}", WR_OWN_BENCH},
        {"<svg xmlns=\"x\">\n<rect/>\n" WR_OWN_DRAWING_MARK "\n</svg>\n", WR_OWN_DRAWING},
        {WR_OWN_CONFIG_MARK "budget.\n[simulation]\n", WR_OWN_CONFIG},
        {WR_OWN_CHECKPOINT_MARK "anything", WR_OWN_CHECKPOINT},
        {WR_OWN_TRACE_MARK "1\",\n", WR_OWN_TRACE},
        {"%%MatrixMarket matrix coordinate real general\n%wrsim relation x_dx\n", WR_OWN_TOOL},
        {"<svg xmlns=\"x\">\n<!-- wrsim -->\n", WR_OWN_TOOL},
        {"<!DOCTYPE html>\n<!-- wrsim report -->\n<html>", WR_OWN_TOOL},
        {"<!DOCTYPE html>\n<html>", WR_OWN_COUNT},
        {"{\n  \"tool\": \"wrsim analyze\",\n", WR_OWN_TOOL},
        {WR_OWN_TOOL_MARK ", analyze\n", WR_OWN_TOOL},
        {"% Written by a tool of wrsim, partition\n", WR_OWN_TOOL},
        {"wrsim state space 1\n" WR_OWN_TOOL_MARK ", reduce\nmodel m\n", WR_OWN_TOOL},
        {"wrsim state space 1\nmodel m\n", WR_OWN_COUNT}, /* written by a user */
        {"%%MatrixMarket matrix coordinate real general\n1 1 0\n", WR_OWN_COUNT},
        {"wrsim checkpoints\n", WR_OWN_COUNT},
        {"# wrsim", WR_OWN_COUNT}, /* truncated: the origin is unknown */
        {"time,x\n0,1\n", WR_OWN_COUNT},
        {"{\"program\": \"another\"}", WR_OWN_COUNT},
        {"[\"program\": \"wrsim\"", WR_OWN_COUNT},
        {"<svg></svg>", WR_OWN_COUNT},
        {"[simulation]\nstop = 1.0\n", WR_OWN_COUNT},
        {"\x7f"
         "ELF",
         WR_OWN_COUNT},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        put(files[i].text, strlen(files[i].text));
        for (int kind = 0; kind < WR_OWN_COUNT; kind++)
            assert_int_equal(may_replace((wr_own_kind)kind), (wr_own_kind)kind == files[i].kind);
    }
    unlink(path);
}

TEST(hdf5_is_known_by_its_attribute)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char bytes[600] = {0};
    memcpy(bytes, signature, sizeof signature - 1);
    put(bytes, sizeof bytes);
    assert_false(may_replace(WR_OWN_RESULT)); /* of another program */
    memcpy(bytes + 400, "program", 7);
    memcpy(bytes + 450, "wrsim", 5);
    put(bytes, sizeof bytes);
    assert_true(may_replace(WR_OWN_RESULT));
    assert_false(may_replace(WR_OWN_SUMMARY));
    unlink(path);
}

TEST(nothing_to_lose)
{
    put("", 0);
    for (int kind = 0; kind < WR_OWN_COUNT; kind++)
        assert_true(may_replace((wr_own_kind)kind));
    unlink(path);
    for (int kind = 0; kind < WR_OWN_COUNT; kind++)
        assert_true(may_replace((wr_own_kind)kind));
    assert_null(wr_own_file_refusal("", WR_OWN_RESULT));
    assert_null(wr_own_file_refusal("/dev/null", WR_OWN_SUMMARY));
    assert_null(wr_own_file_refusal(".", WR_OWN_SUMMARY)); /* opening the file reports the error */
}
