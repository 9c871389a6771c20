/* wrsim-phg: partitions a hypergraph by PHG of Zoltan (Devine, Boman, Heaphy, Bisseling, Catalyurek, "Parallel hypergraph partitioning for
 * scientific computing", 2006) in a single process. wrsim starts the program wrsim-phg (offline/blocks/singly.c).
 *
 *     wrsim-phg PARTS IMBALANCE SEED TRIES < hypergraph.hgr > parts
 *
 * The input is hMETIS text without weights. The output has a line for each try, with the part of each vertex. The first two tries keep the
 * order of the vertices. SEED and the number of a later try determine the order for Zoltan. Every second try limits the imbalance to 0.02
 * or less. Equal inputs give equal outputs.
 *
 * The program initialises MPI because Zoltan needs MPI. The setting "isolated" prevents Open MPI from starting a daemon.
 *
 * Thread: main. Real-time: no. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trilinos/zoltan.h>
#include <unistd.h>

/* Imbalance of every second try, if the request permits more: relative excess of the largest part over the mean (assumed). */
static const double strict_imbalance = 0.02;

typedef struct hyper {
    int n_net;    /* number of nets */
    int n_vertex; /* number of vertices */
    int n_pin;    /* number of pins: vertices of all nets, counted once for each net */
    int *start;   /* [n_net + 1] first pin of each net */
    int *pin;     /* [n_pin] vertices of the nets, from 0 */
    int *order;   /* [n_vertex] number that Zoltan uses for each vertex */
} hyper;

/* ---- input ---- */

static int add_pin(hyper *h, int *cap, long pin)
{
    if (pin < 1 || pin > h->n_vertex)
        return -1;
    if (h->n_pin == *cap) {
        *cap = 2 * *cap + 64;
        int *const grown = realloc(h->pin, (size_t)*cap * sizeof *grown);
        if (!grown)
            return -1;
        h->pin = grown;
    }
    h->pin[h->n_pin++] = (int)pin - 1;
    return 0;
}

static int read_line(char **text, size_t *cap)
{
    ssize_t n;
    do
        n = getline(text, cap, stdin);
    while (n >= 0 && (*text)[0] == '%');
    return n < 0 ? -1 : 0;
}

static int read_hypergraph(hyper *h)
{
    char *text = NULL;
    size_t text_bytes = 0;
    int cap = 0, rc = -1;
    if (read_line(&text, &text_bytes) < 0 || sscanf(text, "%d %d", &h->n_net, &h->n_vertex) != 2 ||
        h->n_net < 1 || h->n_vertex < 1)
        goto out;
    h->start = calloc((size_t)h->n_net + 1, sizeof *h->start);
    h->order = calloc((size_t)h->n_vertex + 1, sizeof *h->order);
    if (!h->start || !h->order)
        goto out;
    for (int i = 0; i < h->n_net; i++) {
        if (read_line(&text, &text_bytes) < 0)
            goto out;
        char *at = text, *end;
        for (long pin = strtol(at, &end, 10); end != at; pin = strtol(at = end, &end, 10))
            if (add_pin(h, &cap, pin) < 0)
                goto out;
        h->start[i + 1] = h->n_pin;
    }
    rc = 0;
out:
    free(text);
    return rc;
}

/* ---- queries of Zoltan ---- */

static int count_vertices(void *data, int *ret_error)
{
    *ret_error = ZOLTAN_OK;
    return ((const hyper *)data)->n_vertex;
}

static void list_vertices(void *data, int n_global, int n_local, ZOLTAN_ID_PTR global,
                          ZOLTAN_ID_PTR local, int n_weight, float *weight, int *ret_error)
{
    (void)n_global, (void)n_local, (void)local, (void)n_weight, (void)weight;
    for (int i = 0; i < ((const hyper *)data)->n_vertex; i++)
        global[i] = (ZOLTAN_ID_TYPE)i;
    *ret_error = ZOLTAN_OK;
}

static void size_of(void *data, int *ret_n_list, int *ret_n_pin, int *ret_format, int *ret_error)
{
    const hyper *const h = data;
    *ret_n_list = h->n_net;
    *ret_n_pin = h->n_pin;
    *ret_format = ZOLTAN_COMPRESSED_EDGE;
    *ret_error = ZOLTAN_OK;
}

static void give_pins(void *data, int n_global, int n_list, int n_pin, int format,
                      ZOLTAN_ID_PTR net, int *start, ZOLTAN_ID_PTR pin, int *ret_error)
{
    const hyper *const h = data;
    (void)n_global, (void)format;
    for (int i = 0; i < n_list; i++) {
        net[i] = (ZOLTAN_ID_TYPE)i;
        start[i] = h->start[i];
    }
    for (int k = 0; k < n_pin; k++)
        pin[k] = (ZOLTAN_ID_TYPE)h->order[h->pin[k]];
    *ret_error = ZOLTAN_OK;
}

/* ---- tries ---- */

/* Draws the next number of the generator splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014), with its
 * published constants. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Draws the order of the vertices for two successive tries. The first two tries use the original order. */
static void shuffle(hyper *h, unsigned seed, int i_try)
{
    uint64_t state = ((uint64_t)seed << 32) + (uint64_t)(i_try / 2);
    for (int i = 0; i < h->n_vertex; i++)
        h->order[i] = i;
    for (int i = h->n_vertex - 1; i > 0 && i_try >= 2; i--) {
        const int k = (int)(draw(&state) % (uint64_t)(i + 1)), t = h->order[i];
        h->order[i] = h->order[k];
        h->order[k] = t;
    }
}

static void set_parameters(struct Zoltan_Struct *z, const char *n_part, double imbalance)
{
    char tolerance[32];
    snprintf(tolerance, sizeof tolerance, "%.6f", 1.0 + imbalance);
    const char *const parameters[][2] = {
        {"DEBUG_LEVEL", "0"},
        {"LB_METHOD", "HYPERGRAPH"},
        {"HYPERGRAPH_PACKAGE", "PHG"},
        {"NUM_GLOBAL_PARTS", n_part},
        {"IMBALANCE_TOL", tolerance},
        {"RETURN_LISTS", "PARTS"},
        {"NUM_GID_ENTRIES", "1"},
        {"NUM_LID_ENTRIES", "0"},
        {"OBJ_WEIGHT_DIM", "0"},
        {"EDGE_WEIGHT_DIM", "0"},
        /* A row in the border costs 1, regardless of the number of parts in which the row has entries. */
        {"PHG_CUT_OBJECTIVE", "HYPEREDGES"},
        {"PHG_EDGE_SIZE_THRESHOLD", "1.0"}, /* PHG must not ignore long rows */
    };
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        Zoltan_Set_Param(z, parameters[i][0], parameters[i][1]);
}

/* Runs Zoltan once and prints a line with the part of each vertex. Returns 0, or -1 on failure. */
static int try_one(hyper *h, const char *n_part, double imbalance, int *part)
{
    int n_changed, n_global, n_local, n_import, n_export, *import_rank, *import_part, *export_rank,
        *export_part;
    ZOLTAN_ID_PTR import_global, import_local, export_global, export_local;
    struct Zoltan_Struct *z = Zoltan_Create(MPI_COMM_SELF);
    if (!z)
        return -1;
    set_parameters(z, n_part, imbalance);
    Zoltan_Set_Num_Obj_Fn(z, count_vertices, h);
    Zoltan_Set_Obj_List_Fn(z, list_vertices, h);
    Zoltan_Set_HG_Size_CS_Fn(z, size_of, h);
    Zoltan_Set_HG_CS_Fn(z, give_pins, h);
    const int rc = Zoltan_LB_Partition(
        z, &n_changed, &n_global, &n_local, &n_import, &import_global, &import_local, &import_rank,
        &import_part, &n_export, &export_global, &export_local, &export_rank, &export_part);
    const int is_made = rc == ZOLTAN_OK && n_export == h->n_vertex;
    for (int i = 0; is_made && i < n_export; i++)
        part[export_global[i]] = export_part[i];
    for (int i = 0; is_made && i < h->n_vertex; i++)
        printf("%d%c", part[h->order[i]], i + 1 < h->n_vertex ? ' ' : '\n');
    Zoltan_LB_Free_Part(&import_global, &import_local, &import_rank, &import_part);
    Zoltan_LB_Free_Part(&export_global, &export_local, &export_rank, &export_part);
    Zoltan_Destroy(&z);
    return is_made ? 0 : -1;
}

static int try_all(hyper *h, char **argv)
{
    const double imbalance = strtod(argv[2], NULL);
    const unsigned seed = (unsigned)strtoul(argv[3], NULL, 10);
    const int n_try = (int)strtol(argv[4], NULL, 10);
    int *const part = calloc((size_t)h->n_vertex + 1, sizeof *part);
    int rc = part ? 0 : -1;
    for (int i = 0; i < n_try && rc == 0; i++) {
        shuffle(h, seed, i);
        rc = try_one(h, argv[1],
                     i % 2 && imbalance > strict_imbalance ? strict_imbalance : imbalance, part);
    }
    free(part);
    return rc;
}

int main(int argc, char **argv)
{
    hyper h = {0};
    float version;
    int code = 1;
    if (argc != 5) {
        fputs("usage: wrsim-phg PARTS IMBALANCE SEED TRIES < HYPERGRAPH\n", stderr);
        return 2;
    }
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    if (read_hypergraph(&h) < 0)
        fputs("standard input is not a hypergraph; pass a hypergraph in the format of hMETIS",
              stderr);
    else if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        fputs("MPI cannot be initialised; install the packages of MPI and Zoltan again", stderr);
    else {
        if (Zoltan_Initialize(0, NULL, &version) != ZOLTAN_OK || try_all(&h, argv) < 0)
            fputs("Zoltan finds no partition; request fewer blocks", stderr);
        else
            code = fflush(stdout) == 0 ? 0 : 1;
        MPI_Finalize();
    }
    free(h.start);
    free(h.pin);
    free(h.order);
    return code;
}
