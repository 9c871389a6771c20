/* The Adams-Moulton methods and the backward differentiation formulas in Nordsieck form.
 *
 * The history of a method of order q at time t consists of the columns z_j = h^j / j! x^(j)(t), j = 0 ... q. A step predicts the columns
 * at t + h by Taylor's formula. It then adds l_j e to column j, where e is the change of h x' from its prediction.
 * (Gear, "Numerical Initial Value Problems in Ordinary Differential Equations", 1971, chapter 9; Radhakrishnan and Hindmarsh, "Description
 * and use of LSODE", NASA RP-1327, 1993, chapter 2.)
 *
 * Thread: any. Real-time: yes.
 */
#ifndef WR_NORDSIECK_H
#define WR_NORDSIECK_H

enum { WR_ADAMS, WR_BDF, WR_NORDSIECK_METHODS };
enum { WR_ADAMS_ORDER = 12, WR_BDF_ORDER = 5, WR_NORDSIECK_COLUMNS = WR_ADAMS_ORDER + 1 };

/* Constants of one method and order. */
typedef struct wr_nordsieck_order {
    double l[WR_NORDSIECK_COLUMNS]; /* l_0 ... l_q; l_1 = 1 */
    /* The local error of a step is e / test[1]. At order q - 1 it would be z_q / test[0], and at order q + 1 the change of e from the step
     * before over test[2]. 0: no such order. */
    double test[3];
} wr_nordsieck_order;

typedef struct wr_nordsieck_table {
    wr_nordsieck_order of[WR_NORDSIECK_METHODS][WR_NORDSIECK_COLUMNS]; /* [method][order] */
} wr_nordsieck_table;

/* Computes the constants of orders 1 to WR_ADAMS_ORDER and 1 to WR_BDF_ORDER. */
void wr_nordsieck_fill(wr_nordsieck_table *table);

/* Writes the predicted columns of a history of order q, both [q + 1] columns of n values. */
void wr_nordsieck_predict(int n, int q, const double *z, double *ret_predicted);

/* Multiplies column j by ratio^j, j = 1 ... q, so that the history belongs to steps of ratio times the length. */
void wr_nordsieck_rescale(int n, int q, double ratio, double *z);

/* Evaluates the polynomial of the history at t + s h, and h times its derivative. Each result may be NULL. */
void wr_nordsieck_eval(int n, int q, const double *z, double s, double *ret_x, double *ret_hdx);

#endif
