/* cmocka and the headers that must be included before it, for C and C++. */
#ifndef SIMT_CMOCKA_ALL_H
#define SIMT_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

#endif
