#include "record_test.h"

#include "runtime/record/merge.h"

/* A writer that records its rows as text. */
struct wr_writer {
    char text[1 << 16];
    size_t n;
};

static wrsim_status note_row(wr_writer *writer, double t_s, const double *const *values,
                             wrsim_error *err)
{
    writer->n +=
        (size_t)snprintf(writer->text + writer->n, sizeof writer->text - writer->n, "c%g(%g %g) ",
                         t_s, values[0] ? values[0][0] : -1.0, values[1] ? values[1][0] : -1.0);
    return WRSIM_OK;
}

static wrsim_status note_event(wr_writer *writer, int i_stream, int kind, double t_s,
                               const double *values, wrsim_error *err)
{
    writer->n +=
        (size_t)snprintf(writer->text + writer->n, sizeof writer->text - writer->n, "%c%d@%g(%g) ",
                         kind == WR_RECORD_LEFT   ? 'l'
                         : kind == WR_RECORD_NODE ? 'n'
                                                  : 'r',
                         i_stream, t_s, values[0]);
    return WRSIM_OK;
}

static const wr_writer_ops note_ops = {.row = note_row, .event = note_event};
static wr_writer note;

static void add(wr_merge *merge, int i_stream, int kind, double t_s, double value)
{
    const double values[2] = {value, 0.0};
    wrsim_error err;
    assert_int_equal(wr_merge_add(merge, i_stream, kind, t_s, values, &err), WRSIM_OK);
    assert_int_equal(wr_merge_write(merge, &err), WRSIM_OK);
}

static wr_merge *begin(const wr_recorder_options *options)
{
    note.n = 0;
    note.text[0] = 0;
    wr_merge *const merge = wr_merge_create(options, &note_ops, &note);
    assert_non_null(merge);
    return merge;
}

static void end(wr_merge **merge)
{
    wrsim_error err;
    assert_int_equal(wr_merge_finish(*merge, &err), WRSIM_OK);
    wr_merge_destroy(merge);
}

TEST(order)
{
    const wr_recorder_options options = options_for("");
    wr_merge *merge = begin(&options);
    add(merge, 1, 0, 0.0, 20);
    add(merge, 1, 1, 0.05, 21);
    add(merge, 1, 2, 0.05, 22);
    add(merge, 1, 1, 0.08, 23);
    add(merge, 1, 0, 0.1, 24);
    assert_string_equal(note.text, ""); /* stream 0 may still deliver earlier rows */
    add(merge, 0, 0, 0.0, 10);
    assert_string_equal(note.text, "c0(10 20) ");
    add(merge, 0, 1, 0.05, 11); /* equal times: streams in order, left before right in each */
    add(merge, 0, 2, 0.05, 12);
    add(merge, 0, 1, 0.07, 13);
    assert_string_equal(note.text, "c0(10 20) ");
    add(merge, 0, 0, 0.1, 14);
    assert_string_equal(note.text, "c0(10 20) l0@0.05(11) r0@0.05(12) l1@0.05(21) r1@0.05(22) "
                                   "l0@0.07(13) l1@0.08(23) c0.1(14 24) ");
    add(merge, 0, 1, 0.15, 15);
    add(merge, 1, 1, 0.12, 25);
    assert_int_equal(wr_merge_n_row(merge), 2);
    end(&merge);
    assert_non_null(strstr(note.text, "c0.1(14 24) l1@0.12(25) l0@0.15(15) "));
}

TEST(cut_short)
{
    const wr_recorder_options options = options_for("");
    wr_merge *merge = begin(&options);
    add(merge, 0, 0, 0.0, 1);
    add(merge, 1, 0, 0.0, 2);
    add(merge, 0, 1, 0.05, 3);
    add(merge, 0, 0, 0.1, 4); /* stream 1 has no row at this time */
    add(merge, 0, 1, 0.15, 5);
    add(merge, 1, 1, 0.04, 6);
    end(&merge);
    assert_string_equal(note.text, "c0(1 2) l1@0.04(6) l0@0.05(3) ");
}

TEST(decimation_and_start)
{
    wr_recorder_options options = options_for("");
    options.decimation = 3;
    options.start_s = 0.3;
    wr_merge *merge = begin(&options);
    for (int i = 0; i < 8; i++) {
        /* The time of row 3 is one ulp below 0.3 s, but counts as the start. */
        const double t_s = i == 3 ? nextafter(0.3, 0.0) : 0.1 * i;
        add(merge, 0, 0, t_s, i);
        add(merge, 1, 0, t_s, 10 + i);
        add(merge, 0, 1, t_s + 0.05, i);
    }
    assert_int_equal(wr_merge_n_row(merge), 2);
    end(&merge);
    assert_string_equal(note.text, "c0.3(3 13) l0@0.35(3) l0@0.45(4) l0@0.55(5) c0.6(6 16) "
                                   "l0@0.65(6) l0@0.75(7) ");
}

TEST(stream_without_channels)
{
    const wr_stream_info streams[] = {two_streams[0], {"silent", 0, NULL}};
    wr_recorder_options options = options_for("");
    options.stream = streams;
    wr_merge *merge = begin(&options);
    add(merge, 0, 0, 0.0, 1);
    add(merge, 1, 0, 0.0, 2);
    add(merge, 0, 0, 0.1, 3);
    end(&merge);
    assert_string_equal(note.text, "c0(1 -1) c0.1(3 -1) ");
}

TEST(streams_out_of_step_are_an_error)
{
    const wr_recorder_options options = options_for("");
    AUTO(wr_merge_destroy) wr_merge *merge = begin(&options);
    const double values[2] = {0};
    wrsim_error err = {0};
    wr_merge_add(merge, 0, 0, 0.1, values, &err);
    wr_merge_add(merge, 1, 0, 0.2, values, &err);
    assert_int_equal(wr_merge_write(merge, &err), WRSIM_E_INTERNAL);
    assert_non_null(strstr(err.text, "but other streams are at"));
    wr_merge_destroy(&merge);
}

/* The result does not depend on the order in which the streams deliver. */
TEST(any_interleaving)
{
    enum { N_ROW = 600 };
    const wr_recorder_options options = options_for("");
    static char expected[sizeof note.text];
    unsigned random = 1;
    for (int round = 0; round < 50; round++) {
        wr_merge *merge = begin(&options);
        int next[2] = {0, 0};
        while (next[0] < N_ROW || next[1] < N_ROW) {
            random = random * 1664525u + 1013904223u;
            const int i_stream = next[0] == N_ROW ? 1 : next[1] == N_ROW ? 0 : random >> 31;
            int n = round == 0 ? 1 : (int)(random >> 20 & 63);
            for (; n > 0 && next[i_stream] < N_ROW; n--) {
                const int i = next[i_stream]++; /* a communication row, then two event rows */
                const double t_s = i % 3 == 0 ? i : i / 3 * 3 + (i_stream ? 1.0 : 1 + i % 2);
                add(merge, i_stream, i % 3, t_s, i);
            }
        }
        end(&merge);
        if (round == 0)
            strcpy(expected, note.text);
        assert_string_equal(note.text, expected);
    }
    assert_true(strlen(expected) > 10000);
}

/* Adds the rows of four streams in the given order of streams. Nodes before a communication row precede the row in the file. */
static void add_both(wr_merge *merge, const int *order, int n)
{
    static const struct {
        int stream, kind;
        double t_s, value;
    } rows[] = {{0, 0, 0.0, 10},  {0, 0, 0.1, 11},  {0, 0, 0.2, 12},  {1, 0, 0.0, 20},
                {1, 1, 0.15, 25}, {1, 2, 0.15, 26}, {1, 0, 0.1, 21},  {1, 0, 0.2, 22},
                {2, 3, 0.0, 30},  {2, 3, 0.04, 31}, {2, 3, 0.1, 32},  {2, 3, 0.1, 33},
                {2, 3, 0.2, 34},  {3, 3, 0.0, 40},  {3, 3, 0.15, 41}, {3, 3, 0.2, 42}};
    static const int in_order[] = {3, 6, 4, 5, 7}; /* stream 1, in order of time */
    int next[4] = {0, 0, 8, 13};
    for (int i = 0; i < n; i++) {
        const int s = order[i];
        const int k = s == 1 ? in_order[next[s]++] : next[s]++;
        assert_int_equal(rows[k].stream, s);
        add(merge, s, rows[k].kind, rows[k].t_s, rows[k].value);
    }
}

TEST(waves)
{
    static const wr_stream_info waves[] = {{"air", 2, air_channels}, {"cyl/1", 2, air_channels}};
    wr_recorder_options options = options_for("");
    options.n_wave = 2;
    options.wave = waves;
    static const int orders[][16] = {{0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3},
                                     {3, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 0, 0, 0},
                                     {0, 1, 2, 3, 2, 0, 1, 3, 1, 2, 0, 1, 2, 3, 1, 2}};
    for (size_t i = 0; i < WR_COUNT_OF(orders); i++) {
        wr_merge *merge = begin(&options);
        add_both(merge, orders[i], 16);
        end(&merge);
        assert_string_equal(note.text,
                            "c0(10 20) n2@0(30) n2@0.04(31) n3@0(40) c0.1(11 21) l1@0.15(25) "
                            "r1@0.15(26) n2@0.1(32) n2@0.1(33) n3@0.15(41) c0.2(12 22) n2@0.2(34) "
                            "n3@0.2(42) ");
    }
    /* The recording from 0.05 on has values at its start, because the merge keeps the node before. Decimation does not apply to nodes. */
    options.start_s = 0.05;
    options.decimation = 2;
    wr_merge *merge = begin(&options);
    add_both(merge, orders[2], 16);
    assert_string_equal(note.text, "n2@0.04(31) n3@0(40) ");
    end(&merge);
    assert_string_equal(note.text, "n2@0.04(31) n3@0(40) l1@0.15(25) r1@0.15(26) n2@0.1(32) "
                                   "n2@0.1(33) n3@0.15(41) c0.2(12 22) n2@0.2(34) n3@0.2(42) ");
}

/* Streams have points of their own. A stream without a point at a time has no row at this time. An ended stream delays no other stream. */
TEST(sparse)
{
    wr_recorder_options options = options_for("");
    options.is_sparse = 1;
    wr_merge *merge = begin(&options);
    for (int i = 0; i < 5; i++)
        add(merge, 0, 0, 0.1 * i, i);
    add(merge, 1, 0, 0.0, 10);
    assert_string_equal(note.text, "c0(0 10) ");
    add(merge, 1, 0, 0.2, 12); /* the stream is past 0.1 */
    assert_string_equal(note.text, "c0(0 10) c0.1(1 -1) c0.2(2 12) ");
    end(&merge);
    assert_string_equal(note.text, "c0(0 10) c0.1(1 -1) c0.2(2 12) c0.3(3 -1) c0.4(4 -1) ");
}
