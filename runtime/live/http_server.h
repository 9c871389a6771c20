/* A small HTTP server on the loopback address, for pages that a browser of this machine shows. The module `http` has the server.
 *
 * The server refuses requests whose Host header does not name the loopback address and the port. So pages of other sites cannot reach the
 * server by a name of their own (DNS rebinding). The server answers GET only, without a body, for a limited number of clients. A client
 * that does not read delays no other client, and loses the connection after some seconds.
 *
 * Thread: a server has one thread, which calls `answer`. Real-time: no.
 */
#ifndef WR_HTTP_SERVER_H
#define WR_HTTP_SERVER_H

#include <stddef.h>

#include "wrsim/status.h"

typedef struct wr_http_request {
    const char *path; /* path without its arguments */
    const void *source;
    /* Returns an argument of the query, such as the "3" of "?row=3", or NULL. */
    const char *(*argument)(const void *source, const char *name);
} wr_http_request;

typedef struct wr_http_answer {
    int code;         /* 200, 400, 404, ... */
    const char *type; /* media type */
    const char *text; /* n_bytes bytes; valid as long as the server, or from malloc */
    size_t n_bytes;
    char *owned; /* the server frees this block; NULL: no block */
} wr_http_answer;

typedef void (*wr_http_answer_fn)(void *context, const wr_http_request *request,
                                  wr_http_answer *ret_answer);

typedef struct wr_http_server wr_http_server;

/* Operations of the module `http`. */
typedef struct wr_http_ops {
    /* Starts a server. port: 0 to let the system choose. Returns NULL with err: WRSIM_E_CONFIG if the port is in use or not permitted,
     * WRSIM_E_MEMORY if memory or threads are exhausted. */
    wr_http_server *(*start)(int port, wr_http_answer_fn answer, void *context, int *ret_port,
                             wrsim_error *err);
    /* Ends all connections and the server. Sets the pointer to NULL. Accepts NULL. */
    void (*stop)(wr_http_server **server);
} wr_http_ops;

#endif
