/* Ends the part that simt_nv_both.h begins. */
#pragma pop_macro("NV_IF_TARGET")
