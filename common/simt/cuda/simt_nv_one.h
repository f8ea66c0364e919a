/* Ends what simt_nv_both.h has begun. */
#pragma pop_macro("NV_IF_TARGET")
