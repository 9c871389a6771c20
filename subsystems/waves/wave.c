/* Waveforms: piecewise cubic Hermite polynomials with jump nodes. See wave.h.
 *
 * Cubic Hermite interpolation with values and slopes at the integrator's own steps has order 4, which matches integrators up to order 4
 * (docs/METHODS.md, Waveforms).
 *
 * Thread: as in wave.h.
 */
#include "subsystems/waves/wave.h"

#include <math.h>
#include <string.h>

#include "subsystems/waves/hermite.h"

static double *room_place(wr_arena *arena, int n_signal, int cap_node)
{
    return WR_NEW_ARRAY(arena, double, (size_t)cap_node *(2 * (size_t)n_signal + 1));
}

static void use_room(wr_wave *wave, double *room, int cap_node)
{
    wave->cap_now = cap_node;
    wave->t_s = room;
    wave->value = room + cap_node;
    wave->slope = wave->value + (size_t)wave->n_signal * (size_t)cap_node;
}

wr_wave *wr_wave_place(wr_arena *arena, int n_signal, int cap_node)
{
    wr_wave *const wave = WR_NEW(arena, wr_wave);
    const int n_few = cap_node < WR_WAVE_FEW ? cap_node : WR_WAVE_FEW;
    double *const few = room_place(arena, n_signal, n_few), *many = NULL;
    if (!wave || !few)
        return NULL;
    if (cap_node > n_few) {
        const int was_aside = wr_arena_cold(arena, 1);
        many = room_place(arena, n_signal, cap_node);
        wr_arena_cold(arena, was_aside);
        if (!many)
            return NULL;
    }
    *wave = (wr_wave){.n_signal = n_signal, .cap_node = cap_node, .few = few, .many = many};
    use_room(wave, few, n_few);
    return wave;
}

wrsim_status wr_wave_grow(wr_wave *wave)
{
    if (wave->cap_now == wave->cap_node)
        return WRSIM_E_LIMIT;
    const wr_wave before = *wave;
    const size_t n_node = (size_t)wave->n_node, n_value = n_node * (size_t)wave->n_signal;
    use_room(wave, wave->many, wave->cap_node);
    memcpy(wave->t_s, before.t_s, n_node * sizeof *wave->t_s);
    memcpy(wave->value, before.value, n_value * sizeof *wave->value);
    memcpy(wave->slope, before.slope, n_value * sizeof *wave->slope);
    return WRSIM_OK;
}

void wr_wave_shrink(wr_wave *wave) { use_room(wave, wave->few, WR_WAVE_FEW); }

wrsim_status wr_wave_append(wr_wave *wave, double t_s, const double *value, const double *slope)
{
    double *to_value, *to_slope;
    WR_TRY(wr_wave_extend(wave, t_s, &to_value, &to_slope));
    const size_t bytes = (size_t)wave->n_signal * sizeof *value;
    if (bytes > 0) {
        memcpy(to_value, value, bytes);
        memcpy(to_slope, slope, bytes);
    }
    return WRSIM_OK;
}

wrsim_status wr_wave_copy(wr_wave *dst, const wr_wave *src)
{
    WR_ASSERT(dst->n_signal == src->n_signal);
    if (dst->cap_node < src->n_node)
        return WRSIM_E_LIMIT;
    if (dst->cap_now < src->n_node)
        use_room(dst, dst->many, dst->cap_node);
    const size_t n_node = (size_t)src->n_node, n_value = n_node * (size_t)src->n_signal;
    dst->n_node = src->n_node;
    dst->n_jump = src->n_jump;
    memcpy(dst->t_s, src->t_s, n_node * sizeof *dst->t_s);
    memcpy(dst->value, src->value, n_value * sizeof *dst->value);
    memcpy(dst->slope, src->slope, n_value * sizeof *dst->slope);
    wr_causes_copy(dst->causes, src->causes);
    return WRSIM_OK;
}

void wr_wave_state(wr_wave *wave, wr_state_io *io)
{
    wr_state_agree(io, wave->n_signal);
    const int n_node = (int)wr_state_count(io, wave->n_node, wave->cap_node);
    const int n_jump = (int)wr_state_count(io, wave->n_jump, wave->cap_node);
    if (wr_state_reads(io)) {
        if (wave->cap_now < n_node)
            use_room(wave, wave->many, wave->cap_node);
        wave->n_node = n_node;
        wave->n_jump = n_jump;
        if (wave->causes)
            wave->causes->n = 0;
    }
    WR_STATE_ARRAY(io, wave->t_s, n_node);
    WR_STATE_ARRAY(io, wave->value, (size_t)n_node * (size_t)wave->n_signal);
    WR_STATE_ARRAY(io, wave->slope, (size_t)n_node * (size_t)wave->n_signal);
}

void wr_cursor_pass(wr_cursor *cursor, const wr_wave *wave, double t_s)
{
    int i = cursor->i_floor;
    while (i < wave->n_node - 2 && wave->t_s[i + 1] <= t_s)
        i++;
    cursor->i_floor = i;
    if (cursor->i_segment < i)
        cursor->i_segment = i;
}

double wr_wave_eval(const wr_wave *wave, wr_cursor *cursor, double t_s, int i_signal)
{
    double value;
    wr_wave_eval_many(wave, cursor, t_s, 1, &i_signal, &value, NULL);
    return value;
}

void wr_wave_eval_many(const wr_wave *wave, wr_cursor *cursor, double t_s, int n,
                       const int *i_signal, double *ret_value, double *ret_slope)
{
    const wr_piece p = wr_wave_piece(wave, cursor, t_s);
    const wr_hermite w = wr_hermite_at(p.t0_s, p.t1_s, t_s);
    for (int j = 0; j < n; j++) {
        const int k = i_signal[j];
        ret_value[j] = wr_hermite_value(&w, p.y0[k], p.y1[k], p.s0[k], p.s1[k]);
        if (ret_slope)
            ret_slope[j] = wr_hermite_slope(&w, p.y0[k], p.y1[k], p.s0[k], p.s1[k]);
    }
}

int wr_wave_node_after(const wr_wave *wave, const wr_cursor *cursor, double t_s)
{
    int i = cursor->i_segment < wave->n_node ? cursor->i_segment : wave->n_node - 1;
    while (i > cursor->i_floor && wave->t_s[i] > t_s)
        i--;
    while (i < wave->n_node && (wave->t_s[i] <= t_s || wr_time_close(wave->t_s[i], t_s)))
        i++;
    return i;
}

int wr_wave_is_jump(const wr_wave *wave, int i, int n, const int *i_signal, const double *limit)
{
    const double *const left = wave->value + (size_t)i * (size_t)wave->n_signal;
    const double *const right = left + wave->n_signal;
    for (int j = 0; j < n && wave->t_s[i + 1] <= wave->t_s[i]; j++)
        if (fabs(right[i_signal[j]] - left[i_signal[j]]) > limit[j])
            return 1;
    return 0;
}

double wr_wave_next_jump(const wr_wave *wave, const wr_cursor *cursor, double t_s, int n,
                         const int *i_signal, const double *limit)
{
    for (int i = cursor->i_floor; wave->n_jump > 0 && i + 1 < wave->n_node; i++)
        if (wave->t_s[i] >= t_s && wr_wave_is_jump(wave, i, n, i_signal, limit))
            return wave->t_s[i];
    return (double)INFINITY;
}

void wr_wave_check(const wr_wave *wave)
{
    WR_ASSERT(wave->n_node >= 2 && wave->n_node <= wave->cap_node);
    int n_jump = 0;
    for (int i = 0; i < wave->n_node; i++) {
        WR_ASSERT(isfinite(wave->t_s[i]));
        WR_ASSERT(i == 0 || wave->t_s[i] >= wave->t_s[i - 1]);
        n_jump += i > 0 && wave->t_s[i] <= wave->t_s[i - 1];
        for (int j = 0; j < wave->n_signal; j++) {
            WR_ASSERT(isfinite(wave->value[(size_t)i * (size_t)wave->n_signal + (size_t)j]));
            WR_ASSERT(isfinite(wave->slope[(size_t)i * (size_t)wave->n_signal + (size_t)j]));
        }
    }
    WR_ASSERT(n_jump == wave->n_jump);
    (void)wave;
    (void)n_jump;
}
