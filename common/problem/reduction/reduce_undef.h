/* Part of reduce_each.h: forgets one operator and type before the next. */
#undef SUFFIX
#undef TYPE
#undef VALUE
#undef A
#undef B
#undef IS_SUM
#undef INPUTS
#undef IDENTITY
#undef TERM
#undef COMBINE
