/* Functions that simt_special.h calls. */
#ifndef SIMT_SPECIAL_CALLS_H
#define SIMT_SPECIAL_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

double simt_erfinv(double x);
double simt_erfcinv(double x);
double simt_erfcx(double x);
double simt_bessel_i(int order, double x);
double simt_normcdf(double x);
double simt_normcdfinv(double p);
double simt_sinpi(double x);
double simt_cospi(double x);
double simt_norm(double a, double b, double c, double d);
double simt_rnorm(double a, double b, double c, double d);
double simt_rcbrt(double x);
double simt_cbrt(double x);
double simt_tanh(double x);
double simt_cosh(double x);
double simt_log10(double x);
double simt_j0(double x);
double simt_j1(double x);
double simt_y0(double x);
double simt_y1(double x);
double simt_exp10(double x);
float simt_tgammaf(float x);
float simt_lgammaf(float x);
float simt_j0f(float x);
float simt_j1f(float x);
float simt_y0f(float x);
float simt_y1f(float x);

#ifdef __cplusplus
}
#endif

#endif
