/* The list of opened binaries of FMUs. See binary_library.h. Thread: any. Real-time: no. */
#include "subsystems/model_host/fmi/binary_library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static wr_binary_library *first; /* dead libraries stay in this list */

wr_binary_library *wr_binary_library_join(void *handle, const char *token)
{
    pthread_mutex_lock(&list_lock);
    wr_binary_library *l = first;
    while (l && l->handle != handle)
        l = l->next;
    if (!l) {
        l = calloc(1, sizeof *l);
        char *const own_token = strdup(token);
        if (l && own_token) {
            *l = (wr_binary_library){.handle = handle, .token = own_token, .next = first};
            first = l;
        } else {
            free(l);
            free(own_token);
            l = NULL;
        }
    }
    if (l)
        l->n_binary++;
    pthread_mutex_unlock(&list_lock);
    return l;
}

int wr_binary_library_leave(wr_binary_library *library)
{
    const int is_dead = wr_binary_library_is_dead(library);
    pthread_mutex_lock(&list_lock);
    if (--library->n_binary == 0 && !is_dead) {
        wr_binary_library **l = &first;
        while (*l != library)
            l = &(*l)->next;
        *l = library->next;
        free(library->token);
        free(library);
    }
    pthread_mutex_unlock(&list_lock);
    return !is_dead;
}

int wr_binary_library_claim(wr_binary_library *library, int is_once)
{
    int n_other = 0;
    pthread_mutex_lock(&list_lock);
    for (const wr_binary_library *l = first; l; l = l->next)
        n_other += strcmp(l->token, library->token) == 0 ? l->n_instance : 0;
    const int is_refused = is_once && n_other > 0;
    library->n_instance += !is_refused;
    pthread_mutex_unlock(&list_lock);
    return is_refused ? -1 : 0;
}

void wr_binary_library_release(wr_binary_library *library)
{
    pthread_mutex_lock(&list_lock);
    library->n_instance--;
    pthread_mutex_unlock(&list_lock);
}

void *wr_binary_library_lose(wr_binary_library *library, void *instance)
{
    pthread_mutex_lock(&list_lock);
    void *const next = library->lost;
    library->lost = instance;
    pthread_mutex_unlock(&list_lock);
    return next;
}
