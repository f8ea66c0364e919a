/* What simt_special.h calls. */
#ifndef SIMT_SPECIAL_CALLS_H
#define SIMT_SPECIAL_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

double simt_erfinv(double x);
double simt_erfcinv(double x);
double simt_erfcx(double x);
double simt_bessel_i(int order, double x);

#ifdef __cplusplus
}
#endif

#endif
