/* Kinds of messages between wrsim and the process of a component (process_message.h), with their values in order.
 *
 * The process first sends its version (text), the size of the channel, and the number of errors, with a status and a text each. Without errors the models follow:
 * their number, and for each name, description, caps, has (sum of 1 << wr_process_call), has_bytes of an own state, and the number of
 * parameters with their variables.
 *
 * Then wrsim sends requests, and the process answers each with one message. A closed socket ends the process.
 *
 * Thread: constants.
 */
#ifndef WR_PROCESS_SETUP_H
#define WR_PROCESS_SETUP_H

/* Requests of wrsim. */
typedef enum wr_process_request {
    /* Number of the model, parameters. Answer: value of describe(), message, declarations. */
    WR_PROCESS_DESCRIBE,
    /* Number of the model, parameters, wr_process_sizes, process_spin_ns. Answer: 0, or -1 and a text. Then the process serves calls from the shared
     * memory up to done(). */
    WR_PROCESS_SERVE,
    WR_PROCESS_EXPLAIN /* name of a parameter. Answer: text of wr_model_files_explain() */
} wr_process_request;

/* Declarations of describe(). */
typedef enum wr_process_declaration {
    WR_DECLARED_VARIABLE, /* kind, 0 for NULL, else 1 and the variable */
    WR_DECLARED_ENTRY,    /* pattern, row, column */
    WR_DECLARED_MASS,     /* row, column, value */
    WR_DECLARED_PORT,     /* first, n */
    WR_DECLARED_END       /* n_w, memory_bytes, data_bytes, time_scale_s */
} wr_process_declaration;

/* Descriptors in the process: the socket and the file of the shared memory. */
enum { WR_PROCESS_SOCKET = 3, WR_PROCESS_MEMORY = 4 };

/* File of the program that the process runs, in the folder of modules (base/module.h). */
#define WR_PROCESS_PROGRAM "wrsim-component"

#endif
