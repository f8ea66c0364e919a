/* Launches: what simt_rewrite makes of name<<<grid, block, shared, stream>>>(arguments).
 * cuda_runtime.h includes this. */
#ifndef SIMT_LAUNCH_OF_KERNELS_H
#define SIMT_LAUNCH_OF_KERNELS_H

#include "cuda_runtime.h"

/* For what a thread does on its way to the kernel, of which no event need tell. */
#if __has_attribute(disable_sanitizer_instrumentation) /* Clang */
#define SIMT_NO_HOOKS                                                                              \
    __attribute__((disable_sanitizer_instrumentation, no_sanitize("thread", "coverage")))
#elif __has_attribute(no_sanitize_coverage) /* GCC */
#define SIMT_NO_HOOKS __attribute__((no_sanitize_thread, no_sanitize_coverage))
#else
#define SIMT_NO_HOOKS
#endif

namespace simt
{

/* Gives the kernel of a name that means one function. The tag makes the call depend on a template,
 * so that an overloaded name is no error but a reason to take the other way. */
template <class Tag, class... Parameters>
auto function_of(void (*function)(Parameters...))
{
    return function;
}

template <class Body>
void invoke(void *closure)
{
    (*static_cast<Body *>(closure))();
}

/* The same, but not for a body into which the kernel may be inlined: it needs its hooks. */
template <class Body>
SIMT_NO_HOOKS void invoke_without_hooks(void *closure)
{
    (*static_cast<Body *>(closure))();
}

/* What a launch has on the host's stack. */
template <class T>
void include(simt_launch &launch, const T &object)
{
    const char *begin = reinterpret_cast<const char *>(__builtin_addressof(object));
    const char *end = begin + sizeof object;
    launch.begin = launch.begin && launch.begin < begin ? launch.begin : begin;
    launch.end = launch.end && launch.end > end ? launch.end : end;
}

/* The body has copies of all that the kernel is given: it may be kept until later. */
template <class Body, class... Others>
void run(simt_launch launch, Body body, void (*invoke)(void *), const Others &...others)
{
    include(launch, body);
    (include(launch, others), ...);
    launch.invoke = invoke;
    launch.closure = &body;
    launch.closure_bytes = sizeof body;
    simt_launch_kernel(&launch);
}

/* A launch of a known function: arguments are converted to its parameters and copied, once. Where
 * parameters have defaults, the call knows them. */
template <class Call, class... Parameters>
struct function_launch {
    simt_launch launch;
    void (*function)(Parameters...);
    Call call;

    void operator()(Parameters... arguments) const
    {
        auto body = [arguments..., kernel = function]() SIMT_NO_HOOKS { kernel(arguments...); };
        run(launch, body, invoke_without_hooks<decltype(body)>, arguments...);
    }

    template <class... Arguments>
    std::enable_if_t<(sizeof...(Arguments) < sizeof...(Parameters))>
    operator()(Arguments... arguments) const
    {
        auto body = [arguments..., call = call]() mutable { call(arguments...); };
        run(launch, body, invoke<decltype(body)>, arguments..., *this);
    }
};

/* A launch of an overloaded function, or of a template that takes types from its arguments. */
template <class Call>
struct overloaded_launch {
    simt_launch launch;
    Call call;

    template <class... Arguments>
    void operator()(Arguments... arguments) const
    {
        auto body = [arguments..., call = call]() mutable { call(arguments...); };
        run(launch, body, invoke<decltype(body)>, arguments..., *this);
    }
};

template <class Call, class... Parameters>
function_launch<Call, Parameters...> launch_function(simt_launch launch, Call call,
                                                     void (*function)(Parameters...))
{
    launch.function = reinterpret_cast<const void *>(function);
    return {launch, function, call};
}

template <class Find, class Call>
auto launch(const char *name, Find find, Call call, dim3 grid, dim3 block, size_t shared_bytes = 0,
            cudaStream_t stream = nullptr, SIMT_SITE)
{
    simt_launch launch = {
        name,   simt_file,        simt_line,    grid,    block,   shared_bytes, nullptr,
        stream, SIMT_INTERLEAVED, INSTRUMENTED, nullptr, nullptr, false,        false,
        false,  {0, 0, 0},        nullptr,      nullptr, 0};
    if constexpr (std::is_invocable_v<Find, int>) {
        return launch_function(launch, call, find(0));
    } else {
        return overloaded_launch<Call>{launch, call};
    }
}

/* The same of a value: a pointer to a kernel. */
template <class... Parameters>
auto launch_value(const char *name, void (*function)(Parameters...), dim3 grid, dim3 block,
                  size_t shared_bytes = 0, cudaStream_t stream = nullptr, SIMT_SITE)
{
    auto call = [function](auto &...arguments) { function(arguments...); };
    simt_launch launch = {
        name,   simt_file,        simt_line,    grid,    block,   shared_bytes, nullptr,
        stream, SIMT_INTERLEAVED, INSTRUMENTED, nullptr, nullptr, false,        false,
        false,  {0, 0, 0},        nullptr,      nullptr, 0};
    return launch_function(launch, call, function);
}

} // namespace simt

#endif
