/* C++ atomics on 1, 2, 4 and 8 bytes. A thread that polls one lets others run, also host threads.
 * RACE: one thread writes without an atomic. Any argument: the awaited value never comes. */
#include <cstdint>
#include <cstdio>
#include <thread>

// The threads take turns, controlled by `word` of any size. Thread 0 waits for all the others.
template <class T>
__device__ void take_turns(T *word, int *order)
{
    const T mine = (T)threadIdx.x;
    T expected;
    switch (threadIdx.x) {
    case 0: // by loads, until all others are done
        while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != 4) {
        }
        *order = 10 * *order + 4;
        __atomic_store_n(word, (T)100, __ATOMIC_RELEASE);
        break;
    case 1: // by exchanges: gives back a value that is not its turn
        while (__atomic_load_n(word, __ATOMIC_RELAXED) != 3) {
        }
        while (__atomic_exchange_n(word, (T)200, __ATOMIC_ACQUIRE) != 3) {
        }
        *order = 10 * *order + 3;
        __atomic_store_n(word, (T)4, __ATOMIC_RELEASE);
        break;
    case 2: // by compare-and-swap
        do {
            expected = mine;
        } while (!__atomic_compare_exchange_n(word, &expected, (T)201, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_RELAXED));
        *order = 10 * *order + 2;
        __atomic_store_n(word, (T)3, __ATOMIC_RELEASE);
        break;
    case 33: // in another warp
        while (__atomic_fetch_or(word, (T)0, __ATOMIC_ACQUIRE) != 1) {
        }
        *order = 10 * *order + 1;
        __atomic_store_n(word, (T)2, __ATOMIC_RELEASE);
        break;
    case 34:
        __atomic_store_n(word, (T)1, __ATOMIC_RELEASE);
        break;
    default:
        break;
    }
}

template <class T>
__global__ void turns(T *words, int *orders)
{
    __shared__ T word;
    __shared__ int order;
    if (threadIdx.x == 0) {
        word = 0;
        order = 0;
    }
    __syncthreads();
    take_turns(&word, &order);
    __syncthreads();
    if (threadIdx.x == 0)
        orders[0] = order;
    take_turns(&words[1], &orders[1]);
}

// Neighbours in one 4-byte word, each changed by its own atomics. The values wrap around.
template <class T>
__global__ void steps(T *words, int *out)
{
    T *const word = &words[blockIdx.x];
    __atomic_fetch_add(word, (T)255, __ATOMIC_RELAXED);
    __atomic_fetch_sub(word, (T)2, __ATOMIC_RELAXED);
    __atomic_fetch_and(word, (T) ~(T)0, __ATOMIC_RELAXED);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = (int)(__atomic_load_n(word, __ATOMIC_RELAXED) & 0xffffff);
#ifdef RACE
    if (threadIdx.x == 1)
        *word = 1;
#endif
}

static bool answers_come = true;

// A host thread answers.
template <class T>
__global__ void ask(T *word)
{
    __atomic_store_n(&word[0], (T)1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&word[1], __ATOMIC_ACQUIRE) != 7) {
    }
    word[2] = 9;
}

template <class T>
static int asked()
{
    T *word;
    cudaMallocManaged(&word, 4 * sizeof(T));
    word[0] = word[1] = word[2] = 0;
    std::thread answers([word] {
        while (answers_come && __atomic_load_n(&word[0], __ATOMIC_ACQUIRE) != 1)
            std::this_thread::yield();
        if (answers_come)
            __atomic_store_n(&word[1], (T)7, __ATOMIC_RELEASE);
    });
    ask<<<1, 1>>>(word);
    cudaDeviceSynchronize();
    answers.join();
    return word[2];
}

template <class T>
static void try_size()
{
    int *out, host[4];
    T *words;
    cudaMalloc(&words, 8 * sizeof(T));
    cudaMalloc(&out, sizeof host);
    cudaMemset(words, 0, 8 * sizeof(T));
    cudaMemset(out, 0, sizeof host);
    turns<<<1, 64>>>(words, out);
    cudaMemcpy(host, out, 2 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d bytes: %d %d", (int)sizeof(T), host[0], host[1]);
    cudaMemset(words, 0, 8 * sizeof(T));
    steps<<<4, 64>>>(words, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("; %d %d %d %d; %d\n", host[0], host[1], host[2], host[3], asked<T>());
    cudaFree(words);
    cudaFree(out);
}

int main(int count, char **)
{
    answers_come = count == 1;
    try_size<uint8_t>();
    try_size<uint16_t>();
    try_size<uint32_t>();
    try_size<unsigned long long>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
