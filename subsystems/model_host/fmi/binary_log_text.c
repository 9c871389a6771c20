/* Expands the text of a log of FMI 2.0. See binary_log_text.h. Thread: any. Real-time: no. */
#include "subsystems/model_host/fmi/binary_log_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/c_locale.h"

enum {
    STRING_BYTES = 1024, /* longest string with its terminating zero, bytes */
    PAGE_BYTES = 4096,   /* a part of a string in one page can be read as a whole, or not at all */
    SPECIFIER_BYTES = 24
};

/* Copies a string from an address that may be invalid, cut to STRING_BYTES. Returns 0, or -1 if the memory cannot be read. */
static int read_string(const char *from, char to[STRING_BYTES])
{
    size_t n = 0;
    while (n < STRING_BYTES - 1) {
        const size_t in_page = PAGE_BYTES - (size_t)(from + n) % PAGE_BYTES;
        const size_t room = STRING_BYTES - 1 - n, part = in_page < room ? in_page : room;
        const struct iovec local = {to + n, part}, remote = {(void *)(size_t)(from + n), part};
        if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)part)
            return -1;
        if (memchr(to + n, 0, part))
            return 0;
        n += part;
    }
    to[n] = 0;
    return 0;
}

/* A conversion specifier of printf(). */
typedef struct specifier {
    char head[SPECIFIER_BYTES]; /* "%", flags, width and precision */
    char length;                /* h, l, L, z, j, t as written; H: "hh"; q: "ll"; 0: none */
    char kind;                  /* 0: a specifier that is not expanded */
    const char *end;
} specifier;

static specifier parse(const char *from)
{
    specifier s = {.end = from + 1};
    s.end += strspn(s.end, "-+ #0");
    const size_t n_width = strspn(s.end, "0123456789");
    s.end += n_width;
    size_t n_precision = 0;
    if (*s.end == '.') {
        n_precision = strspn(s.end + 1, "0123456789");
        s.end += 1 + n_precision;
    }
    const size_t n_head = (size_t)(s.end - from);
    if (n_head >= SPECIFIER_BYTES || n_width > 3 || n_precision > 3)
        return s;
    memcpy(s.head, from, n_head);
    if (strncmp(s.end, "hh", 2) == 0 || strncmp(s.end, "ll", 2) == 0) {
        s.length = *s.end == 'h' ? 'H' : 'q';
        s.end += 2;
    } else if (*s.end && strchr("hlLzjt", *s.end)) {
        s.length = *s.end++;
    }
    if (*s.end && strchr("diuoxXcfFeEgGaAspn%", *s.end))
        s.kind = *s.end++;
    return s;
}

/* Writes an integer argument as long long. is_wide: 1: the argument has 64 bits; 0: 32 bits. */
static int write_integer(char *to, size_t n_bytes, const specifier *s, int is_wide,
                         va_list *arguments)
{
    const int is_signed = s->kind == 'd' || s->kind == 'i';
    long long value = is_wide ? va_arg(*arguments, long long) : va_arg(*arguments, int);
    if (!is_wide && !is_signed)
        value = (unsigned)value;
    char format[SPECIFIER_BYTES + 4];
    snprintf(format, sizeof format, "%sll%c", s->head, s->kind);
    return snprintf(to, n_bytes, format, value);
}

/* Writes an argument. Returns the number of bytes of the text, or -1 if the specifier stays as it is. */
static int write_argument(char *to, size_t n_bytes, const specifier *s, va_list *arguments)
{
    char string[STRING_BYTES], format[SPECIFIER_BYTES + 4];
    if (s->kind == '%')
        return snprintf(to, n_bytes, "%%");
    if (strchr("diuoxX", s->kind))
        return write_integer(to, n_bytes, s, s->length && strchr("lqzjt", s->length), arguments);
    if (s->kind == 'c') {
        const int byte = va_arg(*arguments, int);
        return snprintf(to, n_bytes, "%c", byte > 0 && byte < 0x80 ? byte : '?');
    }
    if (strchr("fFeEgGaA", s->kind)) {
        const double value =
            s->length == 'L' ? (double)va_arg(*arguments, long double) : va_arg(*arguments, double);
        snprintf(format, sizeof format, "%s%c", s->head, s->kind);
        return snprintf(to, n_bytes, format, value);
    }
    const void *const pointer = va_arg(*arguments, void *);
    if (s->kind == 'p')
        return snprintf(to, n_bytes, "%p", pointer);
    if (s->kind == 'n' || s->length || read_string(pointer, string) != 0)
        return -1;
    snprintf(format, sizeof format, "%ss", s->head);
    return snprintf(to, n_bytes, format, string);
}

void wr_binary_log_text(char *to, size_t n_bytes, const char *format, va_list arguments)
{
    WR_IN_C_LOCALE;
    va_list rest;
    va_copy(rest, arguments);
    size_t n = 0;
    int is_literal = 0;
    while (format && *format && n + 1 < n_bytes) {
        const specifier s = *format == '%' && !is_literal ? parse(format) : (specifier){0};
        is_literal |= s.end && !s.kind;
        const int n_text = s.kind ? write_argument(to + n, n_bytes - n, &s, &rest) : -1;
        if (n_text >= 0) {
            n += (size_t)n_text;
            format = s.end;
            continue;
        }
        const char *const end = s.kind ? s.end : format + 1;
        while (format < end && n + 1 < n_bytes)
            to[n++] = *format++;
        format = end;
    }
    to[n < n_bytes ? n : n_bytes - 1] = 0;
    va_end(rest);
}
