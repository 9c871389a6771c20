/* Drawn stability regions: a random point lies in a polygon exactly if it is stable, except near the boundary. */
#include "wr_test.h"

#include "offline/stability/amplification.h"
#include "offline/stability/region.h"

/* Returns 1 if a ray to the right crosses the boundary an odd number of times (even-odd rule of drawings). */
static int is_inside(const wr_region *region, double x, double y)
{
    int n_cross = 0;
    for (int p = 0, first = 0; p < region->n_polygon; first += region->n[p], p++)
        for (int k = 0; k < region->n[p]; k++) {
            const int a = first + k, b = first + (k + 1) % region->n[p];
            const double ya = region->y[a], yb = region->y[b];
            if ((ya > y) == (yb > y))
                continue;
            n_cross += region->x[a] + (y - ya) / (yb - ya) * (region->x[b] - region->x[a]) > x;
        }
    return n_cross % 2;
}

/* Returns 1 if the boundary is within a cell of the point: the drawing then does not decide. */
static int is_near_boundary(const wr_amplification *a, const wr_region *region, double complex q)
{
    const double dx = (region->x_high - region->x_low) / 100.0;
    const double dy = (region->y_high - region->y_low) / 100.0;
    const int here = wr_amplification_is_stable(a, q);
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            if (wr_amplification_is_stable(a, q + CMPLX(i * dx, j * dy)) != here)
                return 1;
    return 0;
}

TEST(drawn_is_stable)
{
    const char *names[64];
    const int n_name = wr_stepper_names(names, 64);
    uint64_t seed = 2;
    for (int i = 0; i < n_name; i++) {
        wr_stepper stepper;
        AUTO(wr_region_done) wr_region region;
        assert_true(wr_stepper_find(names[i], &stepper));
        const wr_amplification *const a = &stepper.amplification;
        wr_region_box(a, &region);
        assert_true(region.x_low < 0.0 && region.x_high > 0.0 && region.y_high > 0.0);
        assert_int_equal(wr_region_find(a, &region), WRSIM_OK);
        int n_checked = 0;
        for (int k = 0; k < 300; k++) {
            const double x = region.x_low + (region.x_high - region.x_low) *
                                                (0.01 + 0.98 * wr_random_share(&seed));
            const double y = region.y_low + (region.y_high - region.y_low) *
                                                (0.01 + 0.98 * wr_random_share(&seed));
            if (is_near_boundary(a, &region, CMPLX(x, y)))
                continue;
            n_checked++;
            if (is_inside(&region, x, y) != wr_amplification_is_stable(a, CMPLX(x, y)))
                fail_msg("%s: %g %+gi is drawn as %d", names[i], x, y, is_inside(&region, x, y));
        }
        assert_true(n_checked > 200);
    }
}
