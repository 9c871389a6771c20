/* Messages between wrsim and the process of a component during setup, over a stream socket. A message is a list of values, which the
 * receiver reads in the same order. Both sides are the same version of wrsim on one machine, so values travel as bytes.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_PROCESS_MESSAGE_H
#define WR_PROCESS_MESSAGE_H

#include "base/text_buffer.h"
#include "wrsim/model.h"

/* A received message. A read beyond its end sets is_short and gives zeros and empty texts. */
typedef struct wr_message_reader {
    char *bytes; /* owned; texts of the message point into the bytes */
    size_t n_bytes, at;
    int is_short;
} wr_message_reader;

/* Values of a message: buffer, value. */
void wr_message_put(wr_text_buffer *message, const void *value, size_t n_bytes);
void wr_message_put_int(wr_text_buffer *message, int value);
/* Texts of a model, which may lack an end, are limited to WR_MESSAGE_TEXT_BYTES. text may be NULL. */
enum { WR_MESSAGE_TEXT_BYTES = 4096 };
void wr_message_put_text(wr_text_buffer *message, const char *text);
/* A text of a config has any length. text may be NULL. */
void wr_message_put_whole_text(wr_text_buffer *message, const char *text);
void wr_message_put_variable(wr_text_buffer *message, const wrsim_variable *variable);

/* Sends a message, and frees its memory. Returns 0, or -1 if memory is exhausted or the other side has ended. */
int wr_message_send(int socket, wr_text_buffer *message);

/* Receives a message. Returns 0, or -1 if memory is exhausted or the other side has ended. */
int wr_message_receive(int socket, wr_message_reader *ret_reader);
void wr_message_done(wr_message_reader *reader);

void wr_message_get(wr_message_reader *reader, void *ret_value, size_t n_bytes);
int wr_message_get_int(wr_message_reader *reader);
const char *wr_message_get_text(wr_message_reader *reader);
/* Reads a variable. *ret_choices: memory for its choices, which the caller frees; NULL: none. */
void wr_message_get_variable(wr_message_reader *reader, wrsim_variable *ret_variable,
                             const char ***ret_choices);

#endif
