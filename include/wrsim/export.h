/* Symbol visibility of the public interface. */
#ifndef WRSIM_EXPORT_H
#define WRSIM_EXPORT_H

#if defined(__GNUC__)
#define WRSIM_API __attribute__((visibility("default")))
#else
#define WRSIM_API
#endif

#endif
