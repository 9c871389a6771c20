/* Makes models of kernels (adversary_shell.h). wr_shell_init() stores the kernel's address in the data of the instance. */
#include "adversary_shell.h"

/* States and inputs in the units of the kernel. */

typedef struct numbers {
    double x[MAX_X], v[MAX_U];
} numbers;

static const kernel *kernel_of(const wrsim_instance *self)
{
    return *(const kernel *const *)self->data;
}

/* Returns the number of inputs in input blocks, and in ret_n_each the number per block. */
static int n_in_ports(const wrsim_instance *self, int n_u, int *ret_n_each)
{
    const int kind = (int)self->param[PORTS];
    const int n = kind == 3 && n_u > 2 ? 2 : n_u;
    *ret_n_each = kind == 2 ? 1 : n;
    return kind == 0 ? 0 : n;
}

static double input(const wrsim_instance *self, const wrsim_point *at, int i)
{
    int n_each;
    if (i >= n_in_ports(self, kernel_of(self)->n_u, &n_each))
        return at->u[i];
    return at->port[i / n_each][i % n_each];
}

static point scaled(const wrsim_instance *self, const wrsim_point *at, numbers *to)
{
    const kernel *const k = kernel_of(self);
    for (int i = 0; i < k->n_x; i++)
        to->x[i] = at->x[i] / self->param[SY];
    for (int i = 0; i < k->n_u; i++)
        to->v[i] = input(self, at, i) / self->param[SU + i];
    return (point){.t_s = at->t_s / self->param[TS],
                   .p = self->param + N_COMMON,
                   .x = to->x,
                   .d = at->d,
                   .v = to->v,
                   .mode = at->mode};
}

int wr_shell_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const kernel *const k = kernel_of(self);
    numbers here;
    const point scaled_at = scaled(self, at, &here);
    k->rhs(&scaled_at, ret_dx);
    for (int i = 0; i < k->n_x; i++)
        ret_dx[i] *= self->param[SY] / self->param[TS];
    return 0;
}

int wr_shell_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const kernel *const k = kernel_of(self);
    numbers here;
    const point scaled_at = scaled(self, at, &here);
    if (k->output(&scaled_at, ret_y) != 0) {
        self->message = "needs a positive input";
        return 1;
    }
    for (int i = 0; i < k->n_y; i++)
        ret_y[i] *= self->param[SY];
    return 0;
}

int wr_shell_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    numbers here;
    const point scaled_at = scaled(self, at, &here);
    kernel_of(self)->indicator(&scaled_at, ret_z);
    return 0;
}

int wr_shell_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                   double *d)
{
    const kernel *const k = kernel_of(self);
    numbers here;
    double changed[MAX_X];
    const point scaled_at = scaled(self, at, &here);
    memcpy(changed, here.x, sizeof changed);
    if (k->event)
        k->event(&scaled_at, what, changed, d);
    for (int i = 0; i < k->n_x; i++)
        if (changed[i] < here.x[i] || changed[i] > here.x[i])
            x[i] = self->param[SY] * changed[i];
    return 0;
}

double wr_shell_next_time(wrsim_instance *self, const wrsim_point *at)
{
    const kernel *const k = kernel_of(self);
    const double ts_s = self->param[TS];
    const point now = {.t_s = at->t_s / ts_s, .p = self->param + N_COMMON, .d = at->d};
    return k->next_time ? ts_s * k->next_time(&now) : (double)INFINITY;
}

int wr_shell_init(const kernel *k, wrsim_instance *self, double *x, double *d)
{
    *(const kernel **)self->data = k;
    if (k->start)
        k->start(self->param + N_COMMON, x, d);
    for (int i = 0; i < k->n_x; i++)
        x[i] *= self->param[SY];
    return 0;
}

/* Declares the pattern in `rows`. If `rows` is NULL, declares nothing. */
static int declare(wrsim_description *to, wrsim_pattern pattern, const char *rows)
{
    if (!rows)
        return 0;
    int row = 0, column = 0, n = 0, rc = 0;
    for (const char *c = rows; *c != '\0'; c++) {
        if (*c == 'x') {
            rc |= to->depends(to, pattern, row, column);
            n++;
        }
        column = *c == ' ' ? 0 : column + 1;
        row += *c == ' ';
    }
    return n > 0 ? rc : to->depends(to, pattern, -1, -1);
}

int wr_shell_describe(const kernel *k, const wrsim_instance *self, wrsim_description *to)
{
    static const char *const digit[] = {"0", "1", "2", "3", "4"};
    const double *const p = self->param;
    char name[3] = "";
    int rc = 0;
    wrsim_variable v = {.name = name, .description = "of the kernel"};
    to->data_bytes = sizeof(const kernel *);
    for (int i = 0; i < k->n_x; i++) {
        name[0] = 'x';
        name[1] = *digit[i];
        v.nominal = p[NX] > 0.5 ? p[SY] : 0.0;
        rc |= to->add(to, WRSIM_STATE, &v);
    }
    v.nominal = 0.0;
    for (int i = 0; i < k->n_d; i++) {
        name[0] = 'd';
        name[1] = *digit[i];
        rc |= to->add(to, WRSIM_DISCRETE, &v);
    }
    for (int i = 0; i < k->n_u; i++) {
        name[0] = 'u';
        name[1] = *digit[i];
        v.nominal = p[NU + i];
        v.start = k->u_start * p[SU + i];
        rc |= to->add(to, WRSIM_INPUT, &v);
    }
    int n_each;
    const int n_port = n_in_ports(self, k->n_u, &n_each);
    for (int i = 0; i < n_port; i += n_each)
        rc |= to->port(to, i, n_each);
    v.start = 0.0;
    for (int i = 0; i < k->n_y; i++) {
        name[0] = 'y';
        name[1] = *digit[i];
        v.nominal = p[NY] * p[SY];
        v.flags = k->y_is[i] == '.' ? 0 : WRSIM_IS_STATE;
        v.index = k->y_is[i] == '.' ? 0 : k->y_is[i] - '0';
        rc |= to->add(to, WRSIM_OUTPUT, &v);
    }
    v.nominal = 0.0;
    v.index = 0;
    for (int i = 0; i < k->n_z; i++) {
        name[0] = 'z';
        name[1] = *digit[i];
        v.flags = k->z_way[i] == 'r'   ? WRSIM_RISING_ONLY
                  : k->z_way[i] == 'f' ? WRSIM_FALLING_ONLY
                                       : 0;
        rc |= to->add(to, WRSIM_INDICATOR, &v);
    }
    if (p[PATTERNS] > 0.5) {
        rc |= declare(to, WRSIM_U_Y, k->u_y);
        rc |= declare(to, WRSIM_X_Y, k->x_y);
    }
    if (p[PATTERNS] > 1.5) {
        rc |= declare(to, WRSIM_U_X, k->u_x);
        rc |= declare(to, WRSIM_X_X, k->x_x);
        rc |= declare(to, WRSIM_U_Z, k->u_z);
        rc |= declare(to, WRSIM_X_Z, k->x_z);
        rc |= declare(to, WRSIM_Z_D, k->z_d);
        rc |= declare(to, WRSIM_D_X, k->d_x);
        rc |= declare(to, WRSIM_D_Z, k->d_z);
    }
    return rc;
}

int wr_shell_first_state(const point *at, double *y)
{
    y[0] = at->x[0];
    return 0;
}
