/* The module `http`: an HTTP server by libmicrohttpd. See http_server.h. Thread: as http_server.h. Real-time: no. */
#include "runtime/live/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/module.h"

/* Limits (assumed). A browser opens up to six connections. */
enum { MOST_CLIENTS = 32, TIMEOUT_S = 10, REQUEST_BYTES = 16384, QUEUE = 16 };

struct wr_http_server {
    struct MHD_Daemon *daemon;
    wr_http_answer_fn answer;
    void *context;
    char hosts[2][32]; /* permitted values of the Host header */
};

/* A page loads nothing but its own data. No other site may show or read the page. */
static const char *const headers[][2] = {
    {"Cache-Control", "no-store"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
};

static enum MHD_Result reply(struct MHD_Connection *connection, const wr_http_answer *a)
{
    union {
        const char *read;
        void *block;
    } const text = {a->text};
    struct MHD_Response *const response =
        MHD_create_response_from_buffer(a->n_bytes, a->owned ? a->owned : text.block,
                                        a->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (!response) {
        free(a->owned);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", a->type);
    for (size_t i = 0; i < WR_COUNT_OF(headers); i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    if (a->code == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET");
    const enum MHD_Result result = MHD_queue_response(connection, (unsigned)a->code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, const char *text)
{
    const wr_http_answer answer = {
        .code = (int)code, .type = "text/plain", .text = text, .n_bytes = strlen(text)};
    return reply(connection, &answer);
}

/* Counts Host headers, and those with a permitted value. */
typedef struct host_count {
    const wr_http_server *server;
    int n, n_good;
} host_count;

static enum MHD_Result look_at_header(void *context, enum MHD_ValueKind kind, const char *key,
                                      const char *value)
{
    (void)kind;
    host_count *const count = context;
    if (strcasecmp(key, MHD_HTTP_HEADER_HOST) != 0)
        return MHD_YES;
    count->n++;
    for (size_t i = 0; value && i < WR_COUNT_OF(count->server->hosts); i++)
        count->n_good += strcasecmp(value, count->server->hosts[i]) == 0;
    return MHD_YES;
}

static int is_own_host(const wr_http_server *server, struct MHD_Connection *connection)
{
    host_count count = {.server = server};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, look_at_header, &count);
    return count.n == 1 && count.n_good == 1;
}

static const char *argument(const void *source, const char *name)
{
    union {
        const void *read;
        struct MHD_Connection *connection;
    } const from = {source};
    return MHD_lookup_connection_value(from.connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_data_size, void **state)
{
    (void)version, (void)upload_data, (void)upload_data_size, (void)state;
    wr_http_server *const server = context;
    const char *const length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (!is_own_host(server, connection))
        return refuse(connection, MHD_HTTP_FORBIDDEN,
                      "This server answers requests for 127.0.0.1 and localhost only.\n");
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "This server answers GET only.\n");
    if ((length && strcmp(length, "0") != 0) ||
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING))
        return refuse(connection, MHD_HTTP_BAD_REQUEST, "A request must have no body.\n");
    const wr_http_request request = {.path = url, .source = connection, .argument = argument};
    wr_http_answer answer = {.code = 0};
    server->answer(server->context, &request, &answer);
    return reply(connection, &answer);
}

static void drop_message(void *context, const char *format, va_list arguments)
{
    (void)context, (void)format, (void)arguments;
}

static void stop(wr_http_server **server)
{
    if (!server || !*server)
        return;
    if ((*server)->daemon)
        MHD_stop_daemon((*server)->daemon);
    free(*server);
    *server = NULL;
}

/* Opens a socket that listens on the loopback address. Returns -1 with errno on failure. */
static int listen_on(int port, int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t n = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    /* Connections of an earlier server on this port may wait for their end. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
        bind(fd, (const struct sockaddr *)&address, n) == 0 && listen(fd, QUEUE) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &n) == 0) {
        *ret_port = ntohs(address.sin_port);
        return fd;
    }
    const int error_number = errno;
    close(fd);
    errno = error_number;
    return -1;
}

static wr_http_server *start(int port, wr_http_answer_fn answer, void *context, int *ret_port,
                             wrsim_error *err)
{
    wr_http_server *server = calloc(1, sizeof *server);
    const int fd = server ? listen_on(port, ret_port) : -1;
    if (server && fd < 0) {
        wr_error_set(
            err, WRSIM_E_CONFIG,
            "the live view cannot listen on port %d of 127.0.0.1: %s; choose another port, or omit "
            "the port, and the system chooses a free one",
            port, strerror(errno));
        stop(&server);
        return NULL;
    }
    if (server) {
        server->answer = answer;
        server->context = context;
        snprintf(server->hosts[0], sizeof server->hosts[0], "127.0.0.1:%d", *ret_port);
        snprintf(server->hosts[1], sizeof server->hosts[1], "localhost:%d", *ret_port);
        server->daemon = MHD_start_daemon(
            MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL, handle, server,
            MHD_OPTION_EXTERNAL_LOGGER, drop_message, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
            MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    }
    if (!server || !server->daemon) {
        wr_error_set(
            err, WRSIM_E_MEMORY,
            "the live view cannot start its server: memory or threads are exhausted; end other "
            "processes");
        if (fd >= 0)
            close(fd);
        stop(&server);
    }
    return server;
}

static const wr_http_ops ops = {.start = start, .stop = stop};

const wr_module wrsim_module = {.version = WRSIM_VERSION_STRING, .operations = &ops};
