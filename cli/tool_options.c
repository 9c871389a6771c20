/* Command lines of the offline tools. See tool_options.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/tool_options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "cli/print.h"
#include "cli/program_output.h"

enum { MAX_OPTIONS = 32, FIRST = 256 /* first value of the table's options, above all letters */ };

static int usage(const wr_tool *tool)
{
    char name[64];
    fprintf(wr_out, "usage: wrsim %s [OPTIONS] %s\n\n%s\noptions:\n", tool->name, tool->operands,
            tool->summary);
    for (const wr_tool_option *o = tool->option; o->name; o++) {
        snprintf(name, sizeof name, "--%s%s%s", o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        fprintf(wr_out, "  %s %-22s %s\n", strcmp(o->name, "quiet") == 0 ? "-q," : "   ", name,
                o->help);
    }
    if (tool->output)
        fprintf(wr_out, "  -o, %-22s %s\n", "--output DIR", tool->output);
    fprintf(wr_out, "  -D, %-22s %s\n  -h, %-22s %s\n",
            tool->define ? "--define KEY=VALUES" : "--define KEY=VALUE",
            tool->define ? tool->define : "set a key of the config; may be repeated", "--help",
            "print this text");
    return 1;
}

/* Parses a number that extends to end. Returns 0, or -1 if the text is no number. */
static int number_of(const char *text, const char *end, double *ret)
{
    char *stop;
    errno = 0;
    *ret = strtod(text, &stop);
    return stop != end || stop == text || errno || !isfinite(*ret) ? -1 : 0;
}

static int set_number(const wr_tool *tool, const wr_tool_option *o, const char *text)
{
    double value;
    const int is_count = o->kind == WR_TOOL_COUNT;
    if (is_count && strstr(o->value, "|auto") && strcmp(text, "auto") == 0) {
        *(int *)o->to = 0;
        return 0;
    }
    if (number_of(text, text + strlen(text), &value) < 0 ||
        !(value >= o->low && value <= o->high) || (is_count && value != floor(value)))
        return wr_print_misuse(tool->name, "--%s takes a %s from %g to %g, not '%s'", o->name,
                               is_count ? "whole number" : "number", o->low, o->high, text);
    if (is_count)
        *(int *)o->to = (int)value;
    else
        *(double *)o->to = value;
    return 0;
}

static int set_list(const wr_tool *tool, const wr_tool_option *o, const char *text)
{
    wr_tool_numbers *const list = o->to;
    list->n = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const char *const end = at + strcspn(at, ",");
        if (list->n == WR_TOOL_NUMBERS)
            return wr_print_misuse(tool->name, "--%s takes at most %d numbers", o->name,
                                   WR_TOOL_NUMBERS);
        if (number_of(at, end, &list->value[list->n++]) < 0)
            return wr_print_misuse(tool->name, "--%s takes numbers separated by commas, not '%s'",
                                   o->name, text);
    }
    return 0;
}

static int set_option(const wr_tool *tool, const wr_tool_option *o, const char *text)
{
    switch (o->kind) {
    case WR_TOOL_FLAG:
        *(int *)o->to = 1;
        return 0;
    case WR_TOOL_TEXT:
        *(const char **)o->to = text;
        return 0;
    case WR_TOOL_NUMBERS_LIST:
        return set_list(tool, o, text);
    default:
        return set_number(tool, o, text);
    }
}

static int refuse(const wr_tool *tool, int c, const char *word)
{
    const char *names[MAX_OPTIONS + 3] = {"define", "output", "help"};
    char text[64];
    int n = 3;
    if (c == ':')
        return wr_print_misuse(tool->name, "option '%s' needs a value", word);
    for (const wr_tool_option *o = tool->option; o->name && n < MAX_OPTIONS; o++)
        names[n++] = o->name;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *const nearest =
        strncmp(word, "--", 2) == 0 ? wr_names_nearest(text, names, n) : NULL;
    return wr_print_misuse(tool->name, "'%s' takes no option '%s'%s%s%s", tool->name, word,
                           nearest ? "; did you mean '--" : "", nearest ? nearest : "",
                           nearest ? "'?" : "");
}

static int take(wr_tool *tool, int c, const char *word)
{
    if (c >= FIRST)
        return set_option(tool, &tool->option[c - FIRST], optarg);
    for (const wr_tool_option *o = tool->option; c == 'q' && o->name; o++)
        if (strcmp(o->name, "quiet") == 0)
            return set_option(tool, o, NULL);
    if (c == 'o' && tool->output) {
        tool->folder = optarg;
        return *optarg ? 0 : wr_print_misuse(tool->name, "-o takes the name of a folder, not ''");
    }
    if (c != 'D')
        return refuse(tool, c, word);
    if (tool->n_override == WR_TOOL_OVERRIDES)
        return wr_print_misuse(tool->name, "more than %d overrides", WR_TOOL_OVERRIDES);
    tool->override[tool->n_override++] = optarg;
    return 0;
}

/* Makes the list for getopt_long: the table's options and the three common ones. */
static void list_options(const wr_tool *tool, struct option list[MAX_OPTIONS + 4])
{
    int n = 0;
    for (; tool->option[n].name && n < MAX_OPTIONS; n++)
        list[n] = (struct option){tool->option[n].name,
                                  tool->option[n].value ? required_argument : no_argument, NULL,
                                  FIRST + n};
    list[n++] = (struct option){"define", required_argument, NULL, 'D'};
    if (tool->output)
        list[n++] = (struct option){"output", required_argument, NULL, 'o'};
    list[n++] = (struct option){"help", no_argument, NULL, 'h'};
    list[n] = (struct option){NULL, 0, NULL, 0};
}

int wr_tool_parse(wr_tool *tool, int argc, char **argv)
{
    struct option list[MAX_OPTIONS + 4];
    list_options(tool, list);
    optind = 0; /* getopt_long starts over */
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":D:o:hq", list, NULL)) != -1;) {
        const char *const word = optind > 0 ? argv[optind - 1] : "";
        const int code = c == 'h' ? 0 : take(tool, c, word);
        if (c == 'h')
            return usage(tool);
        if (code != 0)
            return code + 1;
    }
    const int n = argc - optind;
    if (n != tool->n_operand)
        return 1 + (n < tool->n_operand
                        ? wr_print_misuse(tool->name, "'%s' takes %s", tool->name, tool->operands)
                        : wr_print_misuse(tool->name, "'%s' takes %s; '%s' is too much", tool->name,
                                          tool->operands, argv[optind + tool->n_operand]));
    for (int i = 0; i < n; i++)
        tool->operand[i] = argv[optind + i];
    return 0;
}
