/* Which translation runs, found by a function's return address. The host runs the one without
 * hooks, a checked kernel the other, also through pointers and virtual functions. */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static __host__ __device__ __noinline__ const char *return_address()
{
    return (const char *)__builtin_return_address(0);
}

static __host__ __device__ __noinline__ int has_hooks()
{
    const char *begin = (const char *)has_hooks, *behind = return_address();
    return behind >= begin && behind < begin + 400;
}

struct base {
    __host__ __device__ virtual int asks() const = 0;
};
struct derived : base {
    __host__ __device__ int asks() const override
    {
        return has_hooks();
    }
};

/* Destructors, which have two names in the object file, and exceptions. */
struct named {
    std::vector<std::string> names{"one", "two"};
    virtual ~named()
    {
        if (names.size() != 2 || has_hooks())
            puts("a destructor");
    }
};

static int of_host = has_hooks(); /* before main */

template <class T>
static int sum_of(const std::vector<T> &values)
{
    named keeps;
    T sum = 0;
    for (T value : values)
        sum += value;
    if (sum > 10)
        throw std::out_of_range("sum");
    return sum + has_hooks();
}

#ifdef POLLS
__device__ volatile int unused;
#endif

__global__ void ask(int *out)
{
    int (*const pointer)() = has_hooks;
    derived object;
    const base *any = &object;
    out[0] = has_hooks();
    out[1] = pointer();
    out[2] = any->asks();
#ifdef POLLS
    out[2] += unused;
#endif
}

int main()
{
    int (*volatile pointer)() = has_hooks;
    int *out, host[3];
    derived object;
    const base *volatile any = &object;
    cudaMalloc(&out, sizeof host);
    ask<<<1, 1>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    try {
        host[0] += 10 * sum_of(std::vector<int>{1, 2, 3});
        sum_of(std::vector<long>{10, 20});
    } catch (const std::out_of_range &) {
        host[1] += 100 * (pointer() + any->asks() + of_host);
    }
    printf("%d %d %d\n", host[0], host[1], host[2]);
    return 0;
}
