/* Estimates the largest eigenvalue along a run. See spectrum.h. Thread: one at a time. Real-time: all but place. */
#include "subsystems/solvers/spectrum.h"

#include <math.h>
#include <string.h>

/* Increment of the difference, relative to |x| + NOMINAL_PART * nominal for each state x. The increment is larger than for a Jacobian,
 * because a few digits suffice. Rounding of f of a stiff spring must not hide a slow spring
 * (docs/lab/2026-11-25-solver-auto.md). */
static const double INCREMENT = 1e-5, NOMINAL_PART = 0.01;
/* Largest share of |J v|^2 outside of the fit (assumed). */
static const double MISFIT = 0.5;
/* Products J v per estimate: two products for the fit, after two products that move v back into the plane of the largest pair. The plane
 * turns between estimates. With two products alone, the estimate for the pair +- 1000 i of a pendulum on a stiff spring is -30,000
 * (docs/lab/2026-11-25-solver-auto.md). */
enum { PRODUCTS = 4 };

wrsim_status wr_spectrum_place(wr_spectrum *spectrum, wr_arena *arena, const wr_equations *ode)
{
    const size_t n = (size_t)ode->n_x;
    double *const vectors = WR_NEW_ARRAY(arena, double, 5 * n);
    if (!vectors)
        return WRSIM_E_MEMORY;
    *spectrum = (wr_spectrum){.ode = ode,
                              .v = vectors,
                              .v_before = vectors + n,
                              .saved_v = vectors + 2 * n,
                              .x = vectors + 3 * n,
                              .dx = vectors + 4 * n};
    return WRSIM_OK;
}

static double scale(const wr_spectrum *spectrum, const double *x, int i)
{
    return fabs(x[i]) + NOMINAL_PART * spectrum->ode->nominal[i];
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Scales v to length 1. Returns the length of v before. If v is zero or not finite, returns 0, and v does not change. */
static double normalise(double *v, int n)
{
    const double length = sqrt(dot(v, v, n));
    if (!isfinite(length) || !(length > 0.0))
        return 0.0;
    for (int i = 0; i < n; i++)
        v[i] /= length;
    return length;
}

/* Returns the square of the sine between two unit vectors, without the rounding of 1 less the squared cosine. */
static double turn(const double *a, const double *b, double cosine, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (b[i] - cosine * a[i]) * (b[i] - cosine * a[i]);
    return sum;
}

/* Fits p w = a p v - b u by least squares. u = v_before, p = growth_per_s = |J u|, w = J v. */
static void find_eigenvalue(wr_spectrum *spectrum, double growth_per_s, const double *w)
{
    wr_spectrum_scalars *const now = &spectrum->now;
    const double *const v = spectrum->v, *const u = spectrum->v_before;
    const int n = spectrum->ode->n_x;
    const double ww = dot(w, w, n), vw = dot(v, w, n), uv = dot(u, v, n), det = turn(u, v, uv, n);
    now->size_per_s = sqrt(ww);
    now->cosine = vw < 0.0 ? 1.0 : -1.0;
    if (det < INCREMENT * INCREMENT)
        return; /* v is an eigenvector: v has turned by less than the error of the differences */
    const double uw = dot(u, w, n), of_v = (vw - uv * uw) / det, of_u = (uw - uv * vw) / det;
    if (ww - of_v * vw - of_u * uw > MISFIT * ww)
        return; /* w leaves the plane of u and v, so its length is the better estimate */
    const double half = 0.5 * of_v, b = -growth_per_s * of_u, discriminant = half * half - b;
    if (discriminant < 0.0) {
        now->size_per_s = sqrt(b);
        now->cosine = wr_clamp(-half / now->size_per_s, -1.0, 1.0);
    } else {
        now->size_per_s = fabs(half) + sqrt(discriminant);
        now->cosine = half < 0.0 ? 1.0 : -1.0;
    }
}

/* Writes w = J v to dx, by a difference. */
static int differ(wr_spectrum *spectrum, double t_s, const double *x, const double *f,
                  int64_t *n_rhs)
{
    const int n = spectrum->ode->n_x;
    for (int i = 0; i < n; i++)
        spectrum->x[i] = x[i] + INCREMENT * scale(spectrum, x, i) * spectrum->v[i];
    ++*n_rhs;
    const int code = spectrum->ode->rhs(spectrum->ode->self, t_s, spectrum->x, spectrum->dx);
    for (int i = 0; i < n && code == 0; i++)
        spectrum->dx[i] = (spectrum->dx[i] - f[i]) / (INCREMENT * scale(spectrum, x, i));
    return code;
}

int wr_spectrum_look(wr_spectrum *spectrum, double t_s, const double *x, const double *f,
                     int64_t *n_rhs)
{
    wr_spectrum_scalars *const now = &spectrum->now;
    const size_t bytes = (size_t)spectrum->ode->n_x * sizeof *spectrum->v;
    double growth_per_s = 0.0;
    if (!now->has_vector) {
        const int n = spectrum->ode->n_x;
        for (int i = 0; i < n; i++)
            spectrum->v[i] = f[i] / scale(spectrum, x, i);
        if (!(normalise(spectrum->v, n) > 0.0))
            for (int i = 0; i < n; i++)
                spectrum->v[i] = 1.0 / sqrt((double)n);
        spectrum->now.has_vector = 1;
    }
    for (int k = 0; k < PRODUCTS && now->has_vector; k++) {
        const int code = differ(spectrum, t_s, x, f, n_rhs);
        if (code < 0)
            return code;
        if (code == 0 && k > 0)
            find_eigenvalue(spectrum, growth_per_s, spectrum->dx);
        memcpy(spectrum->v_before, spectrum->v, bytes);
        memcpy(spectrum->v, spectrum->dx, bytes);
        growth_per_s = code == 0 ? normalise(spectrum->v, spectrum->ode->n_x) : 0.0;
        now->has_vector = growth_per_s > 0.0 && isfinite(now->size_per_s);
        if (!now->has_vector)
            now->size_per_s = 0.0;
    }
    return 0;
}

void wr_spectrum_forget(wr_spectrum *spectrum) { spectrum->now.has_vector = 0; }

void wr_spectrum_save(wr_spectrum *spectrum)
{
    const size_t n = (size_t)spectrum->ode->n_x;
    spectrum->saved = spectrum->now;
    memcpy(spectrum->saved_v, spectrum->v, n * sizeof *spectrum->v);
}

void wr_spectrum_restore(wr_spectrum *spectrum)
{
    const size_t n = (size_t)spectrum->ode->n_x;
    spectrum->now = spectrum->saved;
    memcpy(spectrum->v, spectrum->saved_v, n * sizeof *spectrum->v);
}

void wr_spectrum_state(wr_spectrum *spectrum, wr_state_io *io)
{
    WR_STATE(io, spectrum->now.has_vector);
    WR_STATE(io, spectrum->now.size_per_s);
    WR_STATE(io, spectrum->now.cosine);
    WR_STATE_ARRAY(io, spectrum->v, spectrum->ode->n_x);
}

/* Returns |R|^2 at r times the direction, by Horner's rule. */
static double amplification(const double *c, int n, double r, double cosine)
{
    const double x = -r * cosine, y = r * sqrt(1.0 - cosine * cosine);
    double re = c[n], im = 0.0;
    for (int i = n - 1; i >= 0; i--) {
        const double next = re * x - im * y + c[i];
        im = re * y + im * x;
        re = next;
    }
    return re * re + im * im;
}

double wr_spectrum_reach(const double *c, int n, double cosine)
{
    /* A growing mode counts as a mode on the imaginary axis. Rounding must not count as growth. */
    const double direction = wr_max(cosine, 0.0), least = 0.1, most = 4.0, width = 0.05,
                 one = 1.0 + 1e-12;
    double r = least;
    while (r < most && amplification(c, n, r, direction) <= one)
        r += width;
    return r;
}
