/* Helpers for models of tests: variables and patterns from one text, callbacks without unused parameters and statuses. */
#ifndef TESTS_HARNESS_WR_MODEL_H
#define TESTS_HARNESS_WR_MODEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wrsim/model.h"

#define WR_UNUSED __attribute__((unused))

/* Reads one word of wr_declare() after the word `section`. */
static inline int wr_declare_word(wrsim_description *to, const char *section, char *word)
{
    static const char *const kinds[] = {"state:", "discrete:", "input:", "output:", "indicator:"};
    static const char *const patterns[] = {
        "X_X:", "U_X:", "X_Y:", "U_Y:", "X_Z:", "U_Z:", "Z_D:", "D_X:", "D_Z:"};
    for (int i = 0; i < (int)(sizeof patterns / sizeof patterns[0]); i++)
        if (strcmp(section, patterns[i]) == 0) {
            const char *const comma = strchr(word, ',');
            return to->depends(to, (wrsim_pattern)i, comma ? atoi(word) : -1,
                               comma ? atoi(comma + 1) : -1);
        }
    int kind = 0;
    while (strcmp(section, kinds[kind]) != 0)
        if (++kind == (int)(sizeof kinds / sizeof kinds[0]))
            return -1;
    char *const mark = word + strcspn(word, "=:<>~");
    const char at = *mark;
    *mark = '\0';
    const unsigned flags = at == ':'   ? WRSIM_IS_STATE
                           : at == '<' ? WRSIM_RISING_ONLY
                           : at == '>' ? WRSIM_FALLING_ONLY
                           : at == '~' ? WRSIM_DISCONTINUOUS
                                       : 0;
    return to->add(to, (wrsim_kind)kind,
                   &(wrsim_variable){.name = word,
                                     .unit = "",
                                     .description = word,
                                     .start = at == '=' ? strtod(mark + 1, NULL) : 0.0,
                                     .flags = flags,
                                     .index = at == ':' ? atoi(mark + 1) : 0});
}

/* Declares the variables and patterns listed in the text, whose words are separated by blanks. Names of variables
 * follow "state:", "discrete:", "input:", "output:" and "indicator:". A name may end with "=START", ":INDEX" (an
 * output that equals this state), "~" (a jumping output), "<" or ">" (an indicator that only rises or only falls).
 * Elements ROW,COLUMN of a pattern follow "X_X:" or another pattern; "-": an empty pattern. "timeless": no result
 * depends on time. "work=N": N numbers of work. Returns 0 or -1. */
static inline int wr_declare(wrsim_description *to, const char *text)
{
    char copy[1024], *rest = copy, section[16] = "";
    if (strlen(text) >= sizeof copy)
        return -1;
    strcpy(copy, text);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        if (strcmp(word, "timeless") == 0)
            to->time_scale_s = (double)INFINITY;
        else if (strncmp(word, "work=", 5) == 0)
            to->n_w = atoi(word + 5);
        else if (word[strlen(word) - 1] == ':' && strlen(word) < sizeof section)
            strcpy(section, word);
        else if (wr_declare_word(to, section, word) != 0)
            return -1;
    }
    return 0;
}

/* A callback describe() that declares the variables and patterns of the text. */
#define DECLARE(name, text)                                                                        \
    static int name(WR_UNUSED wrsim_instance *self, wrsim_description *to)                         \
    {                                                                                              \
        return wr_declare(to, text);                                                               \
    }

/* Callbacks that always succeed. The block after RHS, OUTPUTS, INDICATORS or ALGEBRA writes ret_dx, ret_y, ret_z or ret_w. The block after
 * EVENT or INIT writes x and d. NEXT_TIME returns a time. */
#define WR_CALLBACK(name, ...)                                                                     \
    static void name##_block(__VA_ARGS__);                                                         \
    static int name(__VA_ARGS__)
#define WR_POINT WR_UNUSED wrsim_instance *self, WR_UNUSED const wrsim_point *at
#define WR_VALUES(name, ret)                                                                       \
    WR_CALLBACK(name, WR_POINT, double *ret)                                                       \
    {                                                                                              \
        name##_block(self, at, ret);                                                               \
        return 0;                                                                                  \
    }                                                                                              \
    static void name##_block(WR_POINT, double *ret)
#define RHS(name) WR_VALUES(name, ret_dx)
#define OUTPUTS(name) WR_VALUES(name, ret_y)
#define INDICATORS(name) WR_VALUES(name, ret_z)
#define ALGEBRA(name) WR_VALUES(name, ret_w)
#define EVENT(name)                                                                                \
    WR_CALLBACK(name, WR_POINT, const wrsim_event *what, double *x, double *d)                     \
    {                                                                                              \
        name##_block(self, at, what, x, d);                                                        \
        return 0;                                                                                  \
    }                                                                                              \
    static void name##_block(WR_POINT, WR_UNUSED const wrsim_event *what, WR_UNUSED double *x,     \
                             WR_UNUSED double *d)
#define INIT(name)                                                                                 \
    WR_CALLBACK(name, wrsim_instance *self, double t_s, double *x, double *d)                      \
    {                                                                                              \
        name##_block(self, t_s, x, d);                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    static void name##_block(WR_UNUSED wrsim_instance *self, WR_UNUSED double t_s,                 \
                             WR_UNUSED double *x, WR_UNUSED double *d)
#define NEXT_TIME(name) static double name(WR_POINT)

/* Defines the entry function of a plug-in with the listed addresses of models. The function is visible also with -fvisibility=hidden. */
#define PLUGIN(...)                                                                                \
    __attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(          \
        uint32_t abi);                                                                             \
    const wrsim_model *const *wrsim_plugin_models(uint32_t abi)                                    \
    {                                                                                              \
        static const wrsim_model *const models[] = {__VA_ARGS__, NULL};                            \
        return abi == WRSIM_MODEL_ABI ? models : NULL;                                             \
    }

#endif
