/* Launches: simt_rewrite turns name<<<grid, block, shared, stream>>>(arguments) into these calls.
 * cuda_runtime.h includes this. */
#ifndef SIMT_LAUNCH_OF_KERNELS_H
#define SIMT_LAUNCH_OF_KERNELS_H

#include "cuda_runtime.h"

/* For code that a thread runs before the kernel starts. It needs no events. */
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

/* __launch_bounds__. The CPU back end ignores its other numbers. */
template <class... Others>
SIMT_INLINE void launch_bounds(unsigned int most_threads, Others...)
{
    simt_launch_bounds(most_threads);
}

/* Returns the kernel, if its name means exactly one function. The tag makes the call depend on a
 * template. An overloaded name is then no error, and `launch` uses overloaded_launch instead. */
template <class Tag, class Function>
Function *function_of(Function *function)
{
    return function;
}

template <class Body>
struct invoke {
    static void call(void *closure)
    {
        (*static_cast<Body *>(closure))();
    }
};

/* The same without hooks. Not for a body into which a kernel, which needs hooks, may be inlined. */
template <class Body>
struct invoke_without_hooks {
    SIMT_NO_HOOKS static void call(void *closure)
    {
        (*static_cast<Body *>(closure))();
    }
};

/* These two are not templates. This keeps the compile time of a launch short. */
SIMT_NO_HOOKS __attribute__((noinline, unused)) static simt_launch
describe_launch(const char *name, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
                const char *file, int line)
{
    simt_launch launch = {};
    launch.name = name;
    launch.file = file;
    launch.line = line;
    launch.grid = grid;
    launch.block = block;
    launch.shared_bytes = shared_bytes;
    launch.stream = stream;
    launch.interleaved = SIMT_INTERLEAVED;
    launch.instrumented = INSTRUMENTED;
    return launch;
}

/* The body contains copies of all arguments of the kernel, so the runtime may run it later. */
SIMT_NO_HOOKS __attribute__((noinline, unused)) static void
run(const simt_launch &described, void (*invoke)(void *), const void *body, size_t size)
{
    simt_launch launch = described;
    launch.invoke = invoke;
    launch.closure = const_cast<void *>(body);
    launch.closure_bytes = size;
    launch.begin = body;
    launch.end = static_cast<const char *>(body) + size;
    simt_launch_kernel(&launch);
}

/* Runs the body that `make` returns, built in zeroed memory. Launches are compared byte by byte, so
 * the padding between members must not differ. */
template <template <class> class Invoke, class Make>
SIMT_NO_HOOKS void run_made(const simt_launch &launch, const Make &make)
{
    typedef decltype(make()) body;
    alignas(body) unsigned char memory[sizeof(body)] = {};
    asm volatile("" ::"r"(memory) : "memory");
    body *made = new (memory) body(make());
    run(launch, Invoke<body>::call, memory, sizeof memory);
    made->~body();
}

/* C++ passes a class with its own copy constructor or destructor by the address of a copy that the
 * caller makes, as if the parameter were a reference. A thread can therefore get a copy that no
 * constructor has made, as on a GPU. */
template <class T>
constexpr bool is_passed_by_address =
    !std::is_scalar_v<T> && !std::is_reference_v<T> &&
    !(std::is_trivially_copy_constructible_v<T> && std::is_trivially_move_constructible_v<T> &&
      std::is_trivially_destructible_v<T>);
template <class T>
using taken = std::conditional_t<is_passed_by_address<T>, T &, T>;

template <class T>
constexpr bool is_bytes =
    !std::is_scalar_v<T> && std::is_trivially_copyable_v<T> && !is_passed_by_address<T>;

/* An argument as a launch copies it: its bytes, without a constructor. (The compiler's own copy
 * constructor would not be inlined here. If two files define different structures of the same name,
 * the linker could pick the wrong constructor.) */
template <class T>
struct argument {
    alignas(T) char bytes[sizeof(T)];

    SIMT_NO_HOOKS __attribute__((always_inline)) explicit argument(const void *from)
    {
        simt_copy(bytes, from, sizeof bytes);
    }
    SIMT_NO_HOOKS __attribute__((always_inline)) argument(const argument &other)
        : argument(other.bytes)
    {
    }
    SIMT_NO_HOOKS T &value()
    {
        return reinterpret_cast<T &>(bytes);
    }
    /* For a parameter of this type. */
    template <class Parameter>
    SIMT_NO_HOOKS decltype(auto) as() const
    {
        if constexpr (is_bytes<Parameter>) {
            return __builtin_bit_cast(T, bytes);
        } else {
            return const_cast<argument *>(this)->value();
        }
    }
};

/* The argument for a reference parameter: the address of the object, not a copy of it. */
template <class T>
struct reference {
    std::remove_reference_t<T> *object;

    SIMT_NO_HOOKS reference(T referred) : object(__builtin_addressof(referred))
    {
    }
    SIMT_NO_HOOKS operator T() const
    {
        return static_cast<T>(*object);
    }
};

/* Numbers and pointers are passed by value, because a parameter may be a __restrict__ pointer. A
 * reference cannot bind to that if the argument lacks __restrict__. */
template <class T>
using passed = std::conditional_t<std::is_reference_v<T>, reference<T>,
                                  std::conditional_t<std::is_scalar_v<T>, T, const T &>>;

/* The type in which the body holds such an argument. */
template <class T>
using held = std::conditional_t<is_bytes<T>, argument<T>, passed<T>>;
template <class T>
SIMT_NO_HOOKS held<T> hold(const passed<T> &given)
{
    if constexpr (is_bytes<T>) {
        return held<T>(__builtin_addressof(given));
    } else {
        return given;
    }
}

/* One thread's argument, made from the launch's argument. */
template <class T, bool = is_passed_by_address<T>>
struct thread_argument {
    const held<T> &given;

    SIMT_NO_HOOKS decltype(auto) value() const
    {
        if constexpr (is_bytes<T>) {
            return given.template as<T>();
        } else {
            return (given);
        }
    }
};
template <class T>
struct thread_argument<T, true> : argument<T> {
    SIMT_NO_HOOKS thread_argument(const T &given) : argument<T>(__builtin_addressof(given))
    {
    }
};

template <class T>
SIMT_NO_HOOKS void find_code(simt_launch &launch, const T &argument)
{
    if constexpr (std::is_class_v<T> || std::is_pointer_v<T>) {
        simt_find_code(&launch, __builtin_addressof(argument), sizeof argument);
    }
}

/* A launch of a known function. Arguments are converted to its parameters, and the body has copies
 * of them. If the launch leaves out default arguments, `call` supplies them. */
template <class Call, class... Parameters>
struct function_launch {
    simt_launch launch;
    void (*function)(Parameters...);
    Call call;

    SIMT_NO_HOOKS void operator()(passed<Parameters>... arguments) const
    {
        simt_launch with = launch;
        (find_code<std::remove_reference_t<passed<Parameters>>>(with, arguments), ...);
        start(with, hold<Parameters>(arguments)...);
    }

    SIMT_NO_HOOKS void start(const simt_launch &with, const held<Parameters> &...arguments) const
    {
        run_made<invoke_without_hooks>(with, [&]() SIMT_NO_HOOKS {
            return [=, kernel = reinterpret_cast<void (*)(taken<Parameters>...)>(function)]()
                       SIMT_NO_HOOKS { kernel(thread_argument<Parameters>{arguments}.value()...); };
        });
    }

    template <class... Arguments>
    std::enable_if_t<(sizeof...(Arguments) < sizeof...(Parameters))>
    operator()(Arguments... arguments) const
    {
        run_made<invoke>(launch, [&] {
            return [=, with_defaults = call]() mutable { with_defaults(arguments...); };
        });
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
        simt_launch with = launch;
        (find_code(with, arguments), ...);
        run_made<invoke>(
            with, [&] { return [=, overloaded = call]() mutable { overloaded(arguments...); }; });
    }
};

template <class Call, class... Parameters>
SIMT_NO_HOOKS function_launch<Call, Parameters...>
launch_function(const simt_launch &described, Call call, void (*function)(Parameters...))
{
    simt_launch launch = described;
    launch.function = reinterpret_cast<const void *>(function);
    return {launch, function, call};
}

template <class Find, class Call>
SIMT_NO_HOOKS auto launch(const char *name, Find find, Call call, dim3 grid, dim3 block,
                          size_t shared_bytes = 0, cudaStream_t stream = nullptr, SIMT_SITE)
{
    const simt_launch launch =
        describe_launch(name, grid, block, shared_bytes, stream, simt_file, simt_line);
    if constexpr (std::is_invocable_v<Find, int>) {
        return launch_function(launch, call, find(0));
    } else {
        return overloaded_launch<Call>{launch, call};
    }
}

/* The same for a pointer to a kernel. */
template <class... Parameters>
auto launch_value(const char *name, void (*function)(Parameters...), dim3 grid, dim3 block,
                  size_t shared_bytes = 0, cudaStream_t stream = nullptr, SIMT_SITE)
{
    auto call = [function](auto &...arguments) { function(arguments...); };
    return launch_function(
        describe_launch(name, grid, block, shared_bytes, stream, simt_file, simt_line), call,
        function);
}

} // namespace simt

#endif
