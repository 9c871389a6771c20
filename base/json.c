/* JSON text. See json.h. Thread: one owner. Real-time: no. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

static void put(wr_json *json, const char *text)
{
    wr_text_buffer_put(&json->text, text, strlen(text));
}

static void new_line(wr_json *json)
{
    put(json, "\n");
    for (int i = 0; i < json->depth; i++)
        put(json, "  ");
}

static void put_string(wr_json *json, const char *value)
{
    static const char *const short_escape[128] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\b'] = "\\b", ['\f'] = "\\f",
        ['\n'] = "\\n", ['\r'] = "\\r",  ['\t'] = "\\t",
    };
    put(json, "\"");
    for (const char *c = value; *c;) {
        const unsigned char byte = (unsigned char)*c;
        const size_t length = wr_utf8_length(c);
        if (byte < 128 && short_escape[byte]) {
            put(json, short_escape[byte]);
        } else if (byte < 0x20 || byte == 0x7f) {
            wr_text_buffer_add(&json->text, "\\u%04x", byte);
        } else if (length == 0) {
            put(json, "\\ufffd");
        } else {
            wr_text_buffer_put(&json->text, c, length);
        }
        c += length ? length : 1;
    }
    put(json, "\"");
}

/* Writes the comma, the line break or space, and the key before a member, as needed. */
static void begin_member(wr_json *json, const char *key, int is_container)
{
    if (json->depth == 0) {
        if (key || json->is_complete)
            json->text.is_failed = 1;
        return;
    }
    wr_json_level *const level = &json->level[json->depth - 1];
    if ((level->kind == '{') != (key != NULL))
        json->text.is_failed = 1;
    if (level->has_member)
        put(json, ",");
    if (level->kind == '{' || is_container) {
        level->is_spread = 1;
        new_line(json);
    } else if (level->has_member) {
        put(json, " ");
    }
    level->has_member = 1;
    if (key) {
        put_string(json, key);
        put(json, ": ");
    }
}

static void end_member(wr_json *json)
{
    if (json->depth > 0)
        return;
    put(json, "\n");
    json->is_complete = 1;
}

static void open_level(wr_json *json, const char *key, char kind)
{
    begin_member(json, key, 1);
    if (json->depth == WR_JSON_MAX_DEPTH)
        json->text.is_failed = 1;
    if (json->text.is_failed)
        return;
    wr_text_buffer_put(&json->text, &kind, 1);
    json->level[json->depth++] = (wr_json_level){.kind = kind};
}

void wr_json_object(wr_json *json, const char *key) { open_level(json, key, '{'); }
void wr_json_array(wr_json *json, const char *key) { open_level(json, key, '['); }

void wr_json_end(wr_json *json)
{
    if (json->depth == 0)
        json->text.is_failed = 1;
    if (json->text.is_failed)
        return;
    const wr_json_level level = json->level[--json->depth];
    if (level.is_spread)
        new_line(json);
    put(json, level.kind == '{' ? "}" : "]");
    end_member(json);
}

static void put_plain(wr_json *json, const char *key, const char *text)
{
    begin_member(json, key, 0);
    put(json, text);
    end_member(json);
}

void wr_json_number(wr_json *json, const char *key, double value)
{
    char text[WR_NUMBER_CAP] = "null";
    if (isfinite(value))
        wr_number_print(value, text);
    put_plain(json, key, text);
}

void wr_json_integer(wr_json *json, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    put_plain(json, key, text);
}

void wr_json_bool(wr_json *json, const char *key, int value)
{
    put_plain(json, key, value ? "true" : "false");
}

void wr_json_string(wr_json *json, const char *key, const char *value)
{
    if (!value) {
        wr_json_null(json, key);
        return;
    }
    begin_member(json, key, 0);
    put_string(json, value);
    end_member(json);
}

void wr_json_null(wr_json *json, const char *key) { put_plain(json, key, "null"); }

const char *wr_json_text(const wr_json *json)
{
    return json->is_complete ? wr_text_buffer_get(&json->text) : NULL;
}

char *wr_json_take(wr_json *json)
{
    json->text.is_failed |= !json->is_complete;
    char *const text = wr_text_buffer_take(&json->text);
    wr_json_done(json);
    return text;
}

void wr_json_done(wr_json *json)
{
    wr_text_buffer_done(&json->text);
    memset(json, 0, sizeof *json);
}
