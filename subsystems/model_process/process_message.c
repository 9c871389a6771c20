/* Messages between wrsim and the process of a component. See process_message.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_process/process_message.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { MOST_CHOICES = 100000 }; /* most choices of a parameter (assumed) */

/* ---- writing ---- */

void wr_message_put(wr_text_buffer *message, const void *value, size_t n_bytes)
{
    wr_text_buffer_put(message, value, n_bytes);
}

void wr_message_put_int(wr_text_buffer *message, int value)
{
    wr_text_buffer_put(message, (const char *)&value, sizeof value);
}

static void put_text(wr_text_buffer *message, const char *text, size_t n_most)
{
    const int n = text ? (int)strnlen(text, n_most) : -1;
    wr_message_put_int(message, n);
    if (n < 0)
        return;
    wr_text_buffer_put(message, text, (size_t)n);
    wr_text_buffer_put(message, "", 1);
}

void wr_message_put_text(wr_text_buffer *message, const char *text)
{
    put_text(message, text, WR_MESSAGE_TEXT_BYTES);
}

void wr_message_put_whole_text(wr_text_buffer *message, const char *text)
{
    put_text(message, text, INT_MAX);
}

void wr_message_put_variable(wr_text_buffer *message, const wrsim_variable *v)
{
    int n_choice = -1;
    if (v->choices)
        for (n_choice = 0; n_choice < MOST_CHOICES && v->choices[n_choice]; n_choice++)
            ;
    wr_message_put_text(message, v->name);
    wr_message_put_text(message, v->unit);
    wr_message_put_text(message, v->description);
    wr_message_put_text(message, v->text);
    wr_message_put(message, (const double[]){v->start, v->nominal, v->min, v->max},
                   4 * sizeof(double));
    wr_message_put_int(message, (int)v->flags);
    wr_message_put_int(message, v->index);
    wr_message_put_int(message, n_choice);
    for (int i = 0; i < n_choice; i++)
        wr_message_put_text(message, v->choices[i]);
}

/* ---- the socket ---- */

static int send_bytes(int socket, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(socket, bytes, n, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return -1;
        bytes += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

static int receive_bytes(int socket, char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t got = recv(socket, bytes, n, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return -1;
        bytes += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

int wr_message_send(int socket, wr_text_buffer *message)
{
    const uint64_t n = message->n_bytes;
    const int is_sent = !message->is_failed &&
                        send_bytes(socket, (const char *)&n, sizeof n) == 0 &&
                        send_bytes(socket, message->text, message->n_bytes) == 0;
    wr_text_buffer_done(message);
    return is_sent ? 0 : -1;
}

int wr_message_receive(int socket, wr_message_reader *ret_reader)
{
    uint64_t n;
    *ret_reader = (wr_message_reader){0};
    if (receive_bytes(socket, (char *)&n, sizeof n) < 0 || n > SIZE_MAX / 2)
        return -1;
    char *const bytes = malloc((size_t)n + 1);
    if (!bytes || receive_bytes(socket, bytes, (size_t)n) < 0) {
        free(bytes);
        return -1;
    }
    bytes[n] = '\0';
    *ret_reader = (wr_message_reader){.bytes = bytes, .n_bytes = (size_t)n};
    return 0;
}

void wr_message_done(wr_message_reader *reader)
{
    free(reader->bytes);
    *reader = (wr_message_reader){0};
}

/* ---- reading ---- */

void wr_message_get(wr_message_reader *reader, void *ret_value, size_t n_bytes)
{
    reader->is_short |= n_bytes > reader->n_bytes - reader->at;
    if (reader->is_short) {
        memset(ret_value, 0, n_bytes);
        return;
    }
    memcpy(ret_value, reader->bytes + reader->at, n_bytes);
    reader->at += n_bytes;
}

int wr_message_get_int(wr_message_reader *reader)
{
    int value;
    wr_message_get(reader, &value, sizeof value);
    return value;
}

const char *wr_message_get_text(wr_message_reader *reader)
{
    const int n = wr_message_get_int(reader);
    if (n < 0)
        return NULL;
    reader->is_short |= (size_t)n >= reader->n_bytes - reader->at;
    if (reader->is_short)
        return "";
    const char *const text = reader->bytes + reader->at;
    reader->at += (size_t)n + 1;
    return text;
}

void wr_message_get_variable(wr_message_reader *reader, wrsim_variable *ret_variable,
                             const char ***ret_choices)
{
    double number[4];
    *ret_variable = (wrsim_variable){.name = wr_message_get_text(reader)};
    ret_variable->unit = wr_message_get_text(reader);
    ret_variable->description = wr_message_get_text(reader);
    ret_variable->text = wr_message_get_text(reader);
    wr_message_get(reader, number, sizeof number);
    ret_variable->start = number[0];
    ret_variable->nominal = number[1];
    ret_variable->min = number[2];
    ret_variable->max = number[3];
    ret_variable->flags = (unsigned)wr_message_get_int(reader);
    ret_variable->index = wr_message_get_int(reader);
    const int n_choice = wr_message_get_int(reader);
    *ret_choices = NULL;
    if (n_choice < 0 || n_choice > MOST_CHOICES || reader->is_short)
        return;
    const char **const choices = calloc((size_t)n_choice + 1, sizeof *choices);
    for (int i = 0; choices && i < n_choice; i++)
        choices[i] = wr_message_get_text(reader);
    reader->is_short |= !choices;
    ret_variable->choices = choices;
    *ret_choices = choices;
}
