/* Frees memory of the static C++ library when a host unloads the binary of an FMU. Thread: the loader. Real-time: no.
 *
 * libstdc++ reserves 72 kB for exceptions when it is loaded, and never frees this memory. A host that loads and unloads FMUs would lose the
 * memory each time. */
namespace __gnu_cxx
{
void __freeres(); /* in libsupc++/eh_alloc.cc of gcc */
}

static void __attribute__((destructor)) free_reserve() { __gnu_cxx::__freeres(); }
