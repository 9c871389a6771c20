/* The instances and nodes of a system, and the files behind them. ssp_reader.c calls the steps that fill these lists.
 *
 * After an error the functions of these steps return -1 or NULL, with the reason in f->err.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_PARTS_H
#define WR_SSP_PARTS_H

#include "base/arena.h"
#include "base/names.h"
#include "subsystems/model_host/fmi/ssp_file.h"
#include "subsystems/model_host/fmi/ssp_system.h"

enum {
    WR_SSP_QUOTED = 100,   /* longest name in a message, bytes (assumed) */
    WR_SSP_MOST_WAY = 1000 /* connections between an output and its input (assumed) */
};

/* A file that is read once. */
typedef struct wr_ssp_opened {
    const char *path;
    wr_ssp_file *file;
    wr_description *description;
    wr_named *name;          /* sorted names of the variables of the description */
    unsigned char *is_state; /* [variables of the description] 1: a continuous state */
    const char
        *base; /* folder of the file, with the last '/': the start of relative paths in the file */
} wr_ssp_opened;

/* A connector of an instance. */
typedef struct wr_ssp_node {
    int instance;
    const wr_ssp_connector *connector;
    const wr_fmi_variable *variable; /* of a component */
    wr_fmi_unit unit;                /* name NULL: not known */
    int driver;                      /* node of the source; -1: none */
    const wr_ssp_connection *by;     /* connection of the driver */
    const wr_ssp_opened *by_file;
    int first_driven, next_driven; /* nodes that this node drives; nodes with the same driver */
} wr_ssp_node;

typedef struct wr_ssp_instance {
    const char *name, *path;   /* path: names of the outer systems and of the instance; root: "" */
    const wr_ssp_opened *file; /* of the contents */
    const wr_ssp_element *element;
    const wr_ssp_element *outer; /* component that refers to the system; NULL: none */
    const wr_ssp_opened *outer_file;
    const wr_ssp_opened *fmu; /* of a component */
    int parent, component;    /* component: index in the system; -1: a system */
    int n_child;
    int first_node, n_node;
    wr_named *child;     /* [n_child] sorted names */
    wr_named *connector; /* [n_node] sorted names */
} wr_ssp_instance;

/* A value that a binding gives to a variable. */
typedef struct wr_ssp_taken {
    int component, variable; /* variable: index of the first variable with the same value */
    int order, binding;      /* numbers of this value and of the binding */
    wr_ssp_setting setting;
    const wr_ssp_opened *in; /* file of the value and its line, for messages */
    int line;
} wr_ssp_taken;

typedef struct wr_ssp_parts {
    wr_arena *arena;
    wr_ssp_opened **opened;
    wr_ssp_instance *instance;
    wr_ssp_node *node;
    wr_ssp_taken *taken;
    int n_opened, n_instance, n_node, n_taken;
    int n_visit; /* see wr_ssp_parts_visit() */
} wr_ssp_parts;

typedef struct wr_ssp_flattener {
    wr_ssp_system *s;
    wr_ssp_parts *p;
    wrsim_error *err;
} wr_ssp_flattener;

/* Returns NULL when out of memory. */
wr_ssp_parts *wr_ssp_parts_create(void);
void wr_ssp_parts_destroy(wr_ssp_parts **parts);

/* Sets an error at a line of a file. Returns -1. */
int wr_ssp_parts_fail(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line,
                      const char *format, ...) WR_PRINTF(4, 5);
int wr_ssp_parts_fail_memory(const wr_ssp_flattener *f);
/* Fills the error of a file that is absent, unreadable or not regular. Returns -1. */
int wr_ssp_parts_fail_read(const wr_ssp_flattener *f, const char *path);
/* Returns zeroed memory of the arena. */
void *wr_ssp_parts_place(const wr_ssp_flattener *f, size_t count, size_t size);
/* Returns a text in the arena. */
const char *wr_ssp_parts_format(const wr_ssp_flattener *f, const char *format, ...) WR_PRINTF(2, 3);
/* Makes room for a zeroed item at the end of a list that malloc has allocated, as wr_xml_grow(). */
void *wr_ssp_parts_grow(const wr_ssp_flattener *f, void *list, int *n, size_t size);
/* Appends an item to a list that malloc has allocated. Returns the item, or NULL after an error. */
#define WR_SSP_APPEND(f, list, n)                                                                  \
    ((list) = wr_ssp_parts_grow((f), (list), &(n), sizeof *(list)),                                \
     (f)->err->status == WRSIM_OK ? &(list)[(n)-1] : NULL)
/* Adds a note on a line of a file. */
int wr_ssp_parts_note(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line,
                      const char *format, ...) WR_PRINTF(4, 5);

/* Counts a visit of an element, connector or variable by a value of a parameter binding. Returns 0, or -1 after too many visits. */
int wr_ssp_parts_visit(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line);

/* Returns the path of an instance in messages. */
const char *wr_ssp_parts_path(const wr_ssp_instance *i);
/* Writes the name of a node in messages. Returns ret. */
const char *wr_ssp_parts_name_node(const wr_ssp_flattener *f, int i_node, char *ret, size_t n);
/* Returns 1 unless the type is a floating-point type. */
int wr_ssp_parts_is_integer(wr_fmi_type type);
/* Returns the name of a type in SSP. */
const char *wr_ssp_parts_type(wr_fmi_type type);

#endif
