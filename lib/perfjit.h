/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libperfjit: the public API. */
#ifndef PERFJIT_H
#define PERFJIT_H

#ifdef __cplusplus
extern "C" {
#endif

#define PERFJIT_API __attribute__((visibility("default")))

/* The library's version, as "0.1.0". */
PERFJIT_API const char *perfjit__version(void);

#ifdef __cplusplus
}
#endif

#endif
