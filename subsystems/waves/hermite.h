/* Cubic Hermite interpolation on one time interval, from values y0, y1 and slopes y0', y1' at its ends. The weights are the same for all
 * signals:
 *
 *     y  = y0 + v1 (y1 - y0) + s0 y0' + s1 y1'
 *     y' =     dv1 (y1 - y0) + ds0 y0' + ds1 y1'
 *
 * with h the interval's length, r = (t - t0) / h, q = 1 - r (Hairer, Norsett, Wanner, "Solving ODEs I", 2nd ed., II.6, eq. (6.7),
 * collected by values and slopes). The form y0 + ... reproduces a constant signal exactly.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef WR_HERMITE_H
#define WR_HERMITE_H

typedef struct wr_hermite {
    double v1, s0, s1;    /* s0 and s1 in seconds */
    double dv1, ds0, ds1; /* dv1 per second */
} wr_hermite;

/* Returns the weights at t_s on the interval from t0_s to t1_s. Outside of the interval the weights extrapolate the cubic. If t0_s == t1_s,
 * y = y1 and y' = y1'. */
static inline wr_hermite wr_hermite_at(double t0_s, double t1_s, double t_s)
{
    const double h = t1_s - t0_s;
    if (!(h > 0.0))
        return (wr_hermite){.v1 = 1.0, .ds1 = 1.0};
    const double r = (t_s - t0_s) / h, q = 1.0 - r;
    return (wr_hermite){.v1 = r * r * (3.0 - 2.0 * r),
                        .s0 = h * r * q * q,
                        .s1 = -h * r * r * q,
                        .dv1 = 6.0 * r * q / h,
                        .ds0 = q * (1.0 - 3.0 * r),
                        .ds1 = r * (3.0 * r - 2.0)};
}

static inline double wr_hermite_value(const wr_hermite *w, double y0, double y1, double s0,
                                      double s1)
{
    return y0 + w->v1 * (y1 - y0) + (w->s0 * s0 + w->s1 * s1);
}

static inline double wr_hermite_slope(const wr_hermite *w, double y0, double y1, double s0,
                                      double s1)
{
    return w->dv1 * (y1 - y0) + (w->ds0 * s0 + w->ds1 * s1);
}

/* Computes the coefficients in powers of tau = t - t0: y = y0 + s0 tau + ret[0] tau^2 + ret[1] tau^3. per_h: 1/h, per second. */
static inline void wr_hermite_powers(double per_h, double y0, double y1, double s0, double s1,
                                     double ret[2])
{
    const double chord = (y1 - y0) * per_h;
    ret[0] = (3.0 * chord - (2.0 * s0 + s1)) * per_h;
    ret[1] = (s0 + s1 - 2.0 * chord) * (per_h * per_h);
}

#endif
