/* The rewriter's output, compared byte by byte. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"

/* The replacement of __shared__ depends on the compiler. */
#if !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 10
#define SHARED "__constinit thread_local"
#else
#define SHARED "thread_local"
#endif

/* The output behind it. */
#define GAP(number, name)                                                                          \
    " [[maybe_unused]] __attribute__((used, aligned(128))) static thread_local char "              \
    "simt_gap_" number "[::simt::gap(__alignof__(" name "))];"
#define BETWEEN(number, name)                                                                      \
    ", simt_between_" number "[::simt::between<decltype(" name ")>] __attribute__((used))"

static const char *rewriter;
static char folder[] = "/tmp/simt_rewrite_XXXXXX";

/* The replacement of `name<<<` in the output, up to the configuration. */
#define QUOTED(quoted, name)                                                                       \
    "simt::launch(\"" quoted "\", [=]([[maybe_unused]] auto simt_tag) -> "                         \
    "decltype(simt::function_of<decltype(simt_tag)>(" name                                         \
    ")) { return simt::function_of<decltype(simt_tag)>(" name                                      \
    "); }, [=](auto &...simt_arguments) { " name "(simt_arguments...); }, "
#define LAUNCH(name) QUOTED(name, name)

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const char *mode = ""; /* an option for the rewriter */

/* Rewrites a text. Returns the exit status, the output (NULL if there is none) and stderr. */
static int rewrite(const char *input, char **output, char *messages, size_t size)
{
    char in[64], out[64], command[4096];
    FILE *pipe;
    int status;
    snprintf(in, sizeof in, "%s/in.cu", folder);
    snprintf(out, sizeof out, "%s/out.cpp", folder);
    write_file(in, input);
    remove(out);
    /* Memory that the rewriter holds when it exits early after an error is not a leak. */
    snprintf(command, sizeof command, "ASAN_OPTIONS=detect_leaks=0 '%s' %s %s %s 2>&1", rewriter,
             mode, in, out);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    messages[fread(messages, 1, size - 1, pipe)] = '\0';
    status = pclose(pipe);
    assert_true(WIFEXITED(status));
    *output = read_file(out);
    return WEXITSTATUS(status);
}

static void assert_rewrites(const char *input, const char *expected)
{
    char messages[4096], header[128], *output, *names;
    int status = rewrite(input, &output, messages, sizeof messages);
    snprintf(header, sizeof header, "#include <cuda_runtime.h>\n#line 1 \"%s/in.cu\"\n", folder);
    if (*mode) {
        header[0] = '\0';
    }
    assert_string_equal(messages, "");
    assert_int_equal(status, 0);
    assert_non_null(output);
    assert_int_equal(strncmp(output, header, strlen(header)), 0);
    names = strstr(output, "\n[[gnu::used]] static const int simt_names = ");
    if (names) {
        *names = '\0'; /* test_names_of_the_device tests them */
    }
    assert_string_equal(output + strlen(header), expected);
}

static void assert_refuses(const char *input, const char *message)
{
    char messages[4096], expected[256], *output;
    assert_int_equal(rewrite(input, &output, messages, sizeof messages), 1);
    snprintf(expected, sizeof expected, "%s/in.cu:%s\n", folder, message);
    assert_string_equal(messages, expected);
    assert_null(output);
}

static void assert_same(const char *input)
{
    assert_rewrites(input, input);
}

static void test_launches(void **state)
{
    (void)state;
    assert_rewrites("k<<<1, 2>>>(a);", LAUNCH("k") "1, 2)(a);");
    assert_rewrites("k <<< g, b, 4 * n, s >>> (a, b);", LAUNCH("k") " g, b, 4 * n, s ) (a, b);");
    assert_rewrites("if (x) k<<<1, 1>>>(); else j<<<2, 2>>>();",
                    "if (x) " LAUNCH("k") "1, 1)(); else " LAUNCH("j") "2, 2)();");
    assert_rewrites("k<<<1, 1>>>(), j<<<2, 2>>>();",
                    LAUNCH("k") "1, 1)(), " LAUNCH("j") "2, 2)();");
    assert_rewrites("k<<<f(1, 2), dim3{3, 4}>>>(a);", LAUNCH("k") "f(1, 2), dim3{3, 4})(a);");
    assert_rewrites("{k<<<1,1>>>();}", "{" LAUNCH("k") "1,1)();}");
    assert_rewrites("for (auto &&[n, f] : m) f<<<n, 1>>>();",
                    "for (auto &&[n, f] : m) simt::launch_value(\"f\", f, n, 1)();");
}

static void test_names(void **state)
{
    (void)state;
    assert_rewrites("k<float, 256><<<1, 2>>>(a);", LAUNCH("k<float, 256>") "1, 2)(a);");
    assert_rewrites("k<A<B<int>>><<<1, 2>>>(a);", LAUNCH("k<A<B<int>>>") "1, 2)(a);");
    assert_rewrites("n::m::k<(a > b), f(c < d)><<<1, 2>>>(a);",
                    QUOTED("k<(a > b), f(c < d)>", "n::m::k<(a > b), f(c < d)>") "1, 2)(a);");
    assert_rewrites("k<1 << 3, (1 >> 2)><<<1, 2>>>(a);", LAUNCH("k<1 << 3, (1 >> 2)>") "1, 2)(a);");
    assert_rewrites("n::T<int>::k<<<1, 2>>>(a);", QUOTED("T<int>::k", "n::T<int>::k") "1, 2)(a);");
    assert_rewrites("return ::k<<<1, 2>>>(a);", "return " QUOTED("k", "::k") "1, 2)(a);");
    assert_rewrites("x = t[i + 1].f->k<<<1, 2>>>(a);", "x = " LAUNCH("t[i + 1].f->k") "1, 2)(a);");
    assert_rewrites("(*p)<<<1, 2>>>(a);", LAUNCH("(*p)") "1, 2)(a);");
    assert_rewrites("get(1)<<<1, 2>>>(a);", LAUNCH("get(1)") "1, 2)(a);");
    assert_rewrites("if (c) (*p)<<<1, 2>>>(a);", "if (c) " LAUNCH("(*p)") "1, 2)(a);");
    assert_rewrites("x.template k<3><<<1, 2>>>(a);", LAUNCH("x.template k<3>") "1, 2)(a);");
    assert_rewrites("k<'\"'><<<1, 2>>>(a);", QUOTED("k<'\\\"'>", "k<'\"'>") "1, 2)(a);");
    assert_rewrites("a::b::k<<<1, 2>>>(a);", QUOTED("k", "a::b::k") "1, 2)(a);");
}

static void test_chevrons_that_close_templates(void **state)
{
    (void)state;
    assert_rewrites("k<<<f<A<B<1>>>(), 2>>>(x);", LAUNCH("k") "f<A<B<1>>>(), 2)(x);");
    assert_rewrites("k<<<1, sizeof(A<B<C<1>>>)>>>(x);", LAUNCH("k") "1, sizeof(A<B<C<1>>>))(x);");
    assert_rewrites("k<<<1, v<int>>>>(x);", LAUNCH("k") "1, v<int>)(x);");
    assert_rewrites("k<<<n >> 8, 1 << 8>>>(x >> 2);", LAUNCH("k") "n >> 8, 1 << 8)(x >> 2);");
}

static void test_lines_keep_their_numbers(void **state)
{
    (void)state;
    assert_rewrites("a;\nk\n  <\n int\n > // c\n<<<1,\n2>>>\n(x);\nb;\n",
                    "a;\n" LAUNCH("k < int >") "\n\n\n\n1,\n2)\n(x);\nb;\n");
    assert_rewrites("k<<<1, // a >>> b\n /* >>>( */ 2>>>(x);\n",
                    LAUNCH("k") "1, // a >>> b\n /* >>>( */ 2)(x);\n");
    assert_rewrites("f() {extern __shared__\nfloat\ns[];\n}",
                    "f() {[[maybe_unused]] float *const s = static_cast<float "
                    "*>(simt_dynamic_shared());\n\n\n}");
}

static void test_what_is_no_launch(void **state)
{
    (void)state;
    assert_same("// k<<<1, 2>>>(a);\n/* k<<<1, 2>>>(a);\n */\n");
    assert_same("s = \"k<<<1, \\\"2>>>(a);\"; c = '\\''; d = '\"';");
    assert_same("s = R\"x(k<<<1, \" )\" 2>>>(a);)x\"; t = u8R\"(<<<)\"; u = L\"<<<\";");
    assert_same("n = 1'000'000; m = 0x1'f; x = 1e+5 + .5; y = a<b>::c;");
    assert_same("#if 0 <<< it's an unpaired quote\n#endif\n#error k<<<1 \\\n 2>>>(a)\n");
    assert_same("# include <vector> // it's\nint a; // continued \\\n k<<<1\n");
    assert_same("a << b; a <<= c; x.operator<<<int>(3); v<w<x>>();");
    assert_same("");
}

static void test_macros(void **state)
{
    (void)state;
    assert_rewrites("#define RUN(k) \\\n    k<<<1, 2>>>(a)\nRUN(x);\n",
                    "#define RUN(k) \\\n    " LAUNCH("k") "1, 2)(a)\nRUN(x);\n");
}

static void test_extern_shared(void **state)
{
    (void)state;
    assert_rewrites("void f() { extern __shared__ float s[]; }",
                    "void f() { [[maybe_unused]] float *const s = static_cast<float "
                    "*>(simt_dynamic_shared()); }");
    assert_rewrites("template <class T> void f() { extern __shared__ __align__(16) T s[]; }",
                    "template <class T> void f() { [[maybe_unused]] T *const s = static_cast<T "
                    "*>(::simt::dynamic_shared<16>()); }");
    assert_rewrites("void f() { extern __shared__ alignas(n > 4 ? 64 : 16) char s[]; }",
                    "void f() { [[maybe_unused]] char *const s = static_cast<char "
                    "*>(::simt::dynamic_shared<(n > 4 ? 64 : 16)>()); }");
    assert_rewrites("void f() { extern __shared__ __attribute__((aligned(128))) char s[]; }",
                    "void f() { [[maybe_unused]] char *const s = static_cast<char "
                    "*>(::simt::dynamic_shared<128>()); }");
    assert_rewrites("void f() { alignas(sizeof(A<1>)) extern __shared__ volatile n::T<int> s[]; }",
                    "void f() { [[maybe_unused]] volatile n::T<int> *const s = "
                    "static_cast<volatile n::T<int> *>(::simt::dynamic_shared<sizeof(A<1>)>()); }");
    assert_rewrites("namespace n { void f() { extern __shared__ float s[][33]; } }",
                    "namespace n { void f() { [[maybe_unused]] float (*const s)[33] = "
                    "static_cast<float (*)[33]>(simt_dynamic_shared()); } }");
    assert_rewrites("void f() { __shared__ extern float s[]; }",
                    "void f() { [[maybe_unused]] float *const s = static_cast<float "
                    "*>(simt_dynamic_shared()); }");
    assert_rewrites("void f() { extern __shared__ S<1, 2> s; }",
                    "void f() { [[maybe_unused]] S<1, 2> &s = *static_cast<S<1, 2> "
                    "*>(::simt::dynamic_shared<S<1, 2> >()); }");
    assert_rewrites("void f() { extern __shared__ alignas(128) S s; }",
                    "void f() { [[maybe_unused]] S &s = *static_cast<S "
                    "*>(::simt::dynamic_shared<128>()); }");
    assert_rewrites("extern \"C\" { extern int a[]; __shared__ float s[4]; }",
                    "extern \"C\" { extern int a[]; __shared__ float s[4];" GAP("0", "s") " }");
}

/* Outside of functions, the name means the block's shared memory unless a local name hides it. */
static void test_extern_shared_of_a_file(void **state)
{
    (void)state;
    assert_rewrites("extern __shared__ float s[];\nvoid f(A &a) { s[0] = a.s + a->s; }",
                    "\nvoid f(A &a) { (static_cast<float *>(simt_dynamic_shared()))[0] = a.s + "
                    "a->s; }");
    assert_rewrites("namespace n {\nextern __shared__ int s[][2];\n}\nint *f() { return s[1]; }",
                    "namespace n {\n\n}\nint *f() { return (static_cast<int "
                    "(*)[2]>(simt_dynamic_shared()))[1]; }");
    assert_rewrites(
        "extern __shared__ int s[];\nvoid f(int *s) { s[0] = 1; }\nvoid g() { s[0] = 2; }",
        "\nvoid f(int *s) { s[0] = 1; }\nvoid g() { (static_cast<int "
        "*>(simt_dynamic_shared()))[0] = 2; }");
    assert_rewrites(
        "extern __shared__ int s[];\nvoid f(int s);\nvoid g() { { int t, s; h(s); } s[0]; }",
        "\nvoid f(int s);\nvoid g() { { int t, s; h(s); } (static_cast<int "
        "*>(simt_dynamic_shared()))[0]; }");
    assert_rewrites("extern __shared__ Foo s[];\nint f(const n::Foo *s, int) { return s[0]; }\n"
                    "int g() { N::T<Foo> *s = h; return *s; } int i(Foo *p) { return 2 * s[1]; }",
                    "\nint f(const n::Foo *s, int) { return s[0]; }\n"
                    "int g() { N::T<Foo> *s = h; return *s; } int i(Foo *p) { return 2 * "
                    "(static_cast<Foo *>(simt_dynamic_shared()))[1]; }");
    /* Parameters of lambdas and members hide the name. An expression such as `a * s` does not. */
    assert_rewrites("extern __shared__ P s[];\nvoid f() { [](P *s) { s[0]; }; if (a * s) { s; } }",
                    "\nvoid f() { [](P *s) { s[0]; }; if (a * (static_cast<P "
                    "*>(simt_dynamic_shared()))) { (static_cast<P *>(simt_dynamic_shared())); } }");
    assert_rewrites("extern __shared__ P s[];\nclass A { int f(const P &s) const { return s; } }\n"
                    "int g() { return f(a & s); }",
                    "\nclass A { int f(const P &s) const { return s; } }\nint g() { return f(a & "
                    "(static_cast<P *>(simt_dynamic_shared()))); }");
    assert_rewrites("extern __shared__ S s;\nvoid f() { s.a = 1; }",
                    "\nvoid f() { (*static_cast<S *>(::simt::dynamic_shared<S >())).a = 1; }");
    assert_rewrites("extern __shared__ int s[];\nvoid f() { extern __shared__ char s[]; s[0]; }",
                    "\nvoid f() { [[maybe_unused]] char *const s = static_cast<char "
                    "*>(simt_dynamic_shared()); s[0]; }");
}

static void test_errors(void **state)
{
    (void)state;
    assert_refuses("\n\nk<<<1, 2;\n", "3: error: <<< without >>>(...) in the same statement");
    assert_refuses("k<<<1, 2>>>;", "1: error: <<< without >>>(...) in the same statement");
    assert_refuses("f(k<<<1, 2);", "1: error: <<< without >>>(...) in the same statement");
    assert_refuses("\nx = <<<1, 2>>>(a);", "2: error: <<< does not follow the name of a kernel");
    assert_refuses("return <<<1, 2>>>(a);", "1: error: <<< does not follow the name of a kernel");
    assert_refuses("a\n/* b", "2: error: comment without an end");
    assert_refuses("a = \"b\n\";", "1: error: string literal without an end");
    assert_refuses("a = R\"(b\n\";", "1: error: raw string literal without an end");
    assert_refuses("f() { extern __shared__ float s[4]; }",
                   "1: error: extern __shared__ takes one array of open size: T name[];");
    assert_refuses("f() { extern __shared__ float s, t; }",
                   "1: error: declare one object in each extern __shared__");
    assert_refuses("f() { extern __shared__ float a[], b[]; }",
                   "1: error: declare one array in each extern __shared__");
    assert_refuses("\n__global__ __launch_bounds__(64) unsigned int\nk(int n) {}",
                   "3: error: a kernel returns void");
    assert_refuses("static __global__ void *k(void *p) { return p; }",
                   "1: error: a kernel returns void");
    assert_refuses("extern \"C\" __global__ void main() {}", "1: error: main is no kernel");
}

/* ---- after the preprocessor ---- */

#define REGISTERED(token, name)                                                                    \
    " [[maybe_unused]] static const bool simt_kernel_" token " = simt::add_kernel(\"" name         \
    "\", [](auto simt_tag) -> decltype(simt::function_of<decltype(simt_tag)>(" name                \
    ")) { return simt::function_of<decltype(simt_tag)>(" name "); });"

static int set_preprocessed(void **state)
{
    (void)state;
    mode = "--preprocessed";
    return 0;
}

static int set_text(void **state)
{
    (void)state;
    mode = "";
    return 0;
}

static void test_qualifiers(void **state)
{
    (void)state;
    assert_rewrites(
        "__device__ int a; __constant__ float b[2]; extern __host__ __device__ int f();",
        " int a;  float b[2]; [[maybe_unused]] static const int simt_constant_b = "
        "simt_constant((const void *)&b, sizeof b); extern   int f();");
    assert_rewrites("extern __device__ __constant__ int a[];", "extern   int a[];");
    assert_rewrites("float2 a; float4 b;", "float2 a; float4 b;\n[[maybe_unused]] static const int "
                                           "simt_vectors_are_named = simt_names_vectors();\n");
    assert_rewrites("template <int N> __global__ void\n__launch_bounds__(N,\n 2) k() {}",
                    "template <int N>  void\n\n k() { simt::launch_bounds(N, 2);}");
    assert_rewrites("void f() { __shared__ int s[4]; } struct __align__(8) S {};",
                    "void f() { " SHARED
                    " int s[4];" GAP("0", "s") " } struct __attribute__((aligned(8))) S {};");
    assert_rewrites("__forceinline__ __noinline__ f();",
                    "inline __attribute__((always_inline)) __attribute__((noinline)) f();");
    assert_rewrites("__shared__ alignas(16) int s[4];",
                    "alignas(16) " SHARED " int s[4];" GAP("0", "s"));
    assert_rewrites(
        "int *p = (int *)malloc(4), *q = std::malloc(8); p->malloc(1); Pool::malloc(2);",
        "int *p = (int *)simt_malloc(4), *q = std::simt_malloc(8); p->malloc(1); Pool::malloc(2);");
    assert_same("struct Pool { void *malloc(size_t size); int f() { return malloc(1) != 0; } };");
    assert_same("namespace n { template <class T> T *malloc(size_t n) { return 0; } }\n"
                "namespace n { float *f() { return malloc<float>(1) + *n::malloc<int>(2); } }");
    assert_same("namespace n { template <class T> A<T> malloc(T, int); }\n"
                "using namespace n; int g() { return malloc(1, 2); }");
    assert_same("struct Pool { public: template <class T> T *malloc(int); };\n"
                "template <class T> T *Of<T>::malloc(int) { return 0; }");
    assert_rewrites("template <class T> T *f() { return (T *)malloc(1); }",
                    "template <class T> T *f() { return (T *)simt_malloc(1); }");
    /* The C++ library spells some of these words differently. */
    assert_same("# 1 \"/usr/include/x\" 1 3\n__attribute__((__noinline__)) void f();\n");
}

static void test_gaps(void **state)
{
    (void)state;
    assert_rewrites("__shared__ n::T<int, 4> a[2][N < 3], b;",
                    SHARED " n::T<int, 4> a[2][N < 3]" BETWEEN("0", "a") ", b{};" GAP("1", "b"));
    assert_rewrites("__shared__ struct S { int x, y; } s, *p;",
                    SHARED " struct S { int x, y; } s{}" BETWEEN("0", "s") ", *p{};" GAP("1", "p"));
    assert_rewrites("__shared__ union { int x; float y[2]; } u;",
                    SHARED " union { int x; float y[2]; } u{};" GAP("0", "u"));
    assert_rewrites("static __shared__ typename R::value s; f(a, b);",
                    "static " SHARED " typename R::value s{};" GAP("0", "s") " f(a, b);");
    assert_same("struct A { int shared, a; };");
}

static void test_kernels_are_registered(void **state)
{
    (void)state;
    assert_rewrites("__global__ void k(int *x) { if (x) { *x = 1; } }",
                    " void k(int *x) { if (x) { *x = 1; } }" REGISTERED("2", "k"));
    assert_rewrites("namespace n { __global__ void __launch_bounds__(8) k(); }",
                    "namespace n {  void  k(); }");
    assert_rewrites("template <class T> __global__ void k(T) { }",
                    "template <class T>  void k(T) { }");
    assert_rewrites("cudaLaunchKernel((const void *)k<T>, 1);", "cudaLaunchKernel(k<T>, 1);");
    assert_rewrites(
        "template <class T> __global__ void k(T);\nf((void *)n::k<A<1>>, (void *)g<1>);",
        "template <class T>  void k(T);\nf(::simt::kernel_address{\"n::k<A<1>>\"} % "
        "n::k<A<1>>, (void *)g<1>);");
    assert_rewrites("cudaLaunchCooperativeKernel((void*)k, 1);",
                    "cudaLaunchCooperativeKernel(k, 1);");
}

static void test_built_in_names(void **state)
{
    (void)state;
    assert_rewrites("i = blockIdx.x * blockDim.x + threadIdx.x + gridDim.y;",
                    "i = simt_block_index().x * simt_block_size().x + "
                    "simt_thread_index().x + simt_grid_size().y;");
    assert_rewrites("int a[warpSize]; p.warpSize; struct S { int warpSize; }; warpSize;",
                    "int a[simt_warp_size]; p.warpSize; struct S { int warpSize; }; "
                    "simt_warp_size;");
    assert_same("const int warpSize = 32; int f() { return warpSize; }");
    assert_rewrites("return threadIdx.x; f(blockIdx, p->gridDim, c.blockDim);",
                    "return simt_thread_index().x; f(simt_block_index(), p->gridDim, c.blockDim);");
    assert_rewrites("{ dim3 blockDim(8), gridDim{4}; g(gridDim, blockDim); } blockDim.x;",
                    "{ dim3 blockDim(8), gridDim{4}; g(gridDim, blockDim); } simt_block_size().x;");
    assert_rewrites("void f(int dim1, Foo *blockDim) { blockDim->x; } blockDim.x;",
                    "void f(int dim1, Foo *blockDim) { blockDim->x; } simt_block_size().x;");
    assert_rewrites("void f(const dim3 &gridDim) { gridDim.x; } void g(dim3 gridDim); gridDim.x;",
                    "void f(const dim3 &gridDim) { gridDim.x; } void g(dim3 gridDim); "
                    "simt_grid_size().x;");
    assert_rewrites("struct S { dim3 blockDim; int n() { return blockDim.x; } }; a * blockDim.x;",
                    "struct S { dim3 blockDim; int n() { return blockDim.x; } }; a * "
                    "simt_block_size().x;");
}

static void assert_says(const char *input, const char *messages_expected)
{
    char messages[4096], *output;
    assert_int_equal(rewrite(input, &output, messages, sizeof messages), 1);
    assert_string_equal(messages, messages_expected);
    assert_null(output);
}

#define NO_PTX(place, what) place ": error: not available on the CPU back end: PTX: " what "\n"

/* Unknown instructions are reported by name, at their own lines. */
static void test_unknown_ptx(void **state)
{
    (void)state;
    assert_says("# 7 \"a.cu\"\n__device__ void f() {\n asm(\"x.y z;\"); asm(\"y;\"); }\n",
                NO_PTX("a.cu:8", "x.y") NO_PTX("a.cu:8", "y"));
    assert_says(
        "# 1 \"x\"\n__device__ void f() {\n asm(\"membar.gl;\"\n\n \"add.v2.u32 a, b, c;\"); }\n",
        NO_PTX("x:4", "add.v2.u32 (.v2)"));
    assert_says("# 1 \"x\"\n__device__ void f() { asm(\".reg .b128 x;\"); }",
                NO_PTX("x:1", "registers of type .b128"));
    assert_says("# 1 \"x\"\n__device__ void f() { asm(\"bra away;\"); }",
                NO_PTX("x:1", "a branch to a label that is not in the same asm"));
    assert_says("# 1 \"x\"\n__device__ void f(int x) { asm(\"mov.b64 %0, 1;\" : \"=r\"(x)); }",
                NO_PTX("x:1", "operand %0 has 32 bits, the instruction wants 64"));
    assert_says("# 1 \"x\"\n__device__ void f(int x) { asm(\"{.reg .pred p; mov.b32 %0, p;}\" : "
                "\"=r\"(x)); }",
                NO_PTX("x:1", "operand p: is a predicate"));
    assert_says("# 1 \"x\"\n__device__ void f(int x) { asm(\"mov.b32 %0, y;\" : \"=r\"(x)); }",
                NO_PTX("x:1", "operand y"));
    assert_says(
        "# 1 \"x\"\n__device__ void f(int x) { asm(\"mov.b32 %0, %%envreg1;\" : \"=r\"(x)); }",
        NO_PTX("x:1", "operand %envreg1"));
    assert_says("# 1 \"x\"\n__device__ void f(int x) { asm(\"mov.b32 %0, 1\" : \"=r\"(x)); }",
                NO_PTX("x:1", "';' is missing behind \"mov.b32 %0, 1\""));
    assert_says("# 1 \"x\"\n__device__ void f(int x) { asm(\"mov.b32 %0, 1;\" : \"=q\"(x)); }",
                NO_PTX("x:1", "constraint \"=q\""));
    assert_says("# 1 \"x\"\n__device__ void f(int x) { asm(\"ld.param::entry.u32 %0, [%1];\" "
                ": \"=r\"(x) : \"r\"(x)); }",
                NO_PTX("x:1", "ld.param::entry.u32 (.param::entry)"));
    assert_says("# 1 \"x\"\n__device__ void f(float x) { asm(\"{.reg .f32 d<4>; "
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0, d1, d2, d3}, 1, 1, 1, 1, "
                "1, 0, 0;}\"); }",
                NO_PTX("x:1", "a sum in d0, which is no variable of 32 bits that asm has as an "
                              "output"));
    assert_says("# 1 \"x\"\n__device__ void f(int x) { asm(\"add.s32 %0, 1;\" : \"=r\"(x)); }",
                NO_PTX("x:1", "add.s32 with 2 operands"));
    assert_says("# 1 \"x\"\n__device__ void f() { asm goto(\"bra %l0;\" :::: a); a:; }",
                "x:1: error: not available on the CPU back end: asm goto\n");
    assert_same("void f() { asm(\"nop\"); }");
    assert_rewrites("# 1 \"/usr/include/x\" 1 3\n__device__ void f() { asm(\"nop\"); }\n",
                    "# 1 \"/usr/include/x\" 1 3\n void f() { asm(\"nop\"); }\n");
}

static void test_ptx(void **state)
{
    (void)state;
    assert_rewrites("__device__ void f() { asm volatile(\"membar.gl;\" ::: \"memory\"); }",
                    " void f() { { __asm__ volatile(\"\" ::: \"memory\"); __threadfence(); "
                    "__asm__ volatile(\"\" ::: \"memory\"); } }");
    /* Operands are rewritten like other code. The line numbers stay the same. */
    assert_rewrites("__device__ void f(int x) {\n asm(\"add.s32 %0, %1, 5;\"\n : \"=r\"(x)\n"
                    " : \"r\"(threadIdx.x));\n}",
                    " void f(int x) {\n { [[maybe_unused]] auto &&simt_x0 = (x); unsigned int "
                    "simt_a0 = 0; [[maybe_unused]] const unsigned int simt_a1 = "
                    "::simt::ptx::in<'r'>(simt_thread_index().x); simt_a0 = "
                    "::simt::ptx::p_add<::simt::ptx::t_s32, 0>(simt_a1, 0x5u); "
                    "::simt::ptx::out<'r'>(simt_x0, simt_a0); }\n\n\n}");
}

static void test_what_is_not_available(void **state)
{
    (void)state;
    assert_says("# 1 \"a.cu\"\n__global__ void k() { cudaDeviceSynchronize(); }\n# 5 \"b.cu\"\n"
                "x = texCubemap(t);",
                "a.cu:1: error: not available on the CPU back end: cudaDeviceSynchronize() in "
                "device code, which CUDA 12 has dropped\n"
                "b.cu:5: error: not available on the CPU back end: cubemap textures "
                "(texCubemap)\n");
    assert_says("# 1 \"a.cu\"\n# 1 \"/usr/include/cute/a.h\" 1 3\n# 1 \"/usr/b.h\" 1 3\n"
                "# 2 \"/usr/include/cute/a.h\" 2 3\n# 4 \"a.cu\" 2\n",
                "a.cu:3: error: not available on the CPU back end: CuTe (CUTLASS)\n");
    assert_same("int f() { asm(\"x\"); }");
    assert_same("# 1 \"/usr/include/x\" 1 3\nint f(cudaMipmappedArray_t);\n");
    assert_same("x.texCubemap(1); y = texCubemap; p->cudaMipmappedArray_t;");
}

/* Launches of a value that is not a kernel declared in the source. */
static void test_values_are_launched(void **state)
{
    (void)state;
    assert_rewrites("f<<<1, 2>>>(a);", "simt::launch_value(\"f\", f, 1, 2)(a);");
    assert_rewrites("p.second[1]<<<1, 2>>>(a);",
                    "simt::launch_value(\"p.second[1]\", p.second[1], 1, 2)(a);");
    assert_rewrites("template <class T> __global__ void k(T);\nn::k << <1, 2 >> >(a);",
                    "template <class T>  void k(T);\n" QUOTED("k", "n::k") "1, 2 )(a);");
}

static void test_shifts(void **state)
{
    (void)state;
    assert_rewrites("__device__ int f(int a, int b) { return a << b; }",
                    " int f(int a, int b) { return a << ::simt::within_width % b; }");
    assert_rewrites("__device__ void f() { a <<= b ? 1 : 2; c>>=b; d >>-b + 1; }",
                    " void f() { a <<= ::simt::within_width = b ? 1 : 2; c>>= "
                    "::simt::within_width = b; d >> ::simt::within_width % -b + 1; }");
    assert_rewrites("__device__ void f() { a << 31u; b << 32; c >> 3 * n; }",
                    " void f() { a << 31u; b << ::simt::within_width % 32; c >> "
                    "::simt::within_width % 3 * n; }");
    assert_rewrites("__device__ void f() { A<B<int>> x; T<U<1>>(y); g<h<2>>::i; out << \"a\"; }",
                    " void f() { A<B<int>> x; T<U<1>>(y); g<h<2>>::i; out << \"a\"; }");
    assert_rewrites("__device__ void f() { x = a < b ? c >> d : e; if (a < b && c < d >> n); }",
                    " void f() { x = a < b ? c >> ::simt::within_width % d : e; if (a < b && c < d "
                    ">> ::simt::within_width % n); }");
    assert_rewrites("__device__ void f() { A<B<C<1 == 2>>>::d x; A<B<1 == 2>>::d y; }",
                    " void f() { A<B<C<1 == 2>>>::d x; A<B<1 == 2>>::d y; }");
    assert_same("void f() { a << b; a >>= b; }");
    assert_same("struct S { S &operator<<(int); };");
}

/* CUB and Thrust headers are rewritten like a program. Headers of the host are not. */
static void test_cccl(void **state)
{
    (void)state;
    assert_rewrites("# 1 \"/usr/include/x\" 1 3\nint a = threadIdx.x;\n"
                    "# 1 \"/usr/cub/a.h\" 1 3\nint b = threadIdx.x; malloc(1);\n",
                    "# 1 \"/usr/include/x\" 1 3\nint a = threadIdx.x;\n"
                    "# 1 \"/usr/cub/a.h\" 1 3\nint b = simt_thread_index().x; malloc(1);\n");
    assert_rewrites("# 1 \"/cub/a.h\" 1 3\nusing BlockScan = BlockScan<T>; using V = V<T>;\n",
                    "# 1 \"/cub/a.h\" 1 3\nusing BlockScan = cub::BlockScan<T>; using V = V<T>;\n");
    assert_rewrites("# 1 \"/cub/a.h\" 1 3\n__device__ void f() { asm(\"exit;\"); }\n",
                    "# 1 \"/cub/a.h\" 1 3\n void f() { { simt_end_thread(); } }\n");
    assert_rewrites("# 1 \"/cub/a.h\" 1 3\n__device__ void f() { asm(\"brx;\"); }\n",
                    "# 1 \"/cub/a.h\" 1 3\n void f() { __trap(); }\n");
    assert_rewrites("# 1 \"/cub/a.h\" 1 3\n#pragma GCC unroll 65534\nfor (;;) {}\n",
                    "# 1 \"/cub/a.h\" 1 3\n                        \nfor (;;) {}\n");
    assert_rewrites("# 1 \"/cuda/__ptx/a.h\" 1 3\n__device__ int f() { "
                    "__cuda_ptx_get_sreg_lanemask_ge_is_not_there(); return 0; }\n",
                    "# 1 \"/cuda/__ptx/a.h\" 1 3\n int f() { return "
                    "::simt::ptx::lanemask_ge(); return 0; }\n");
}

static void test_who_calls_whom(void **state)
{
    (void)state;
    assert_says("# 1 \"a.cu\"\ntemplate <class T> __global__ void k(T) {}\nint main() {\n k(1);\n"
                " n::k<int>(2); std::k(3);\n}\n",
                "a.cu:3: error: kernel k is called like a function: launch it, k<<<blocks, "
                "threads>>>(...)\n"
                "a.cu:4: error: kernel k is called like a function: launch it, k<<<blocks, "
                "threads>>>(...)\n");
    assert_says(
        "# 1 \"a.cu\"\nint f(int x) { return x; }\n__global__ void k(int *x)\n"
        "{ *x = f(1); x[1] = rand(); }\n",
        "a.cu:3: error: f() is a function of the host, called in device code: declare it "
        "__host__ __device__\n"
        "a.cu:3: error: rand() is a function of the host, called in device code: a GPU does "
        "not have it\n");
    /* A function that is declared for the device may be called there. */
    assert_rewrites("__device__ int f(int);\nint f(int x) { return x; }\n"
                    "__device__ int g() { return f(1); }",
                    " int f(int);\nint f(int x) { return x; }\n int g() { return f(1); }");
    assert_rewrites("constexpr int f(int x) { return x; }\n__device__ int g() { return f(1); }",
                    "constexpr int f(int x) { return x; }\n int g() { return f(1); }");
    assert_rewrites("int f(int x) { return x; }\n__host__ __device__ int g() { return f(1); }",
                    "int f(int x) { return x; }\n  int g() { return f(1); }");
    assert_rewrites("int f(int x) { return x; }\n__device__ int g() { auto f = h; return f(1); }",
                    "int f(int x) { return x; }\n int g() { auto f = h; return f(1); }");
    assert_rewrites("template <class T> __global__ void k(T);\ntemplate void k<int>(int);\n"
                    "struct S { void k(int); void f() { k(1); } };",
                    "template <class T>  void k(T);\ntemplate void k<int>(int);\n"
                    "struct S { void k(int); void f() { k(1); } };");
}

/* The runtime receives the names of the device variables. */
static void test_names_of_the_device(void **state)
{
    char messages[4096], *output;
    (void)state;
    assert_int_equal(rewrite("int h; __device__ int a[2], *b = {h}; __constant__ A<int, 2> c;\n"
                             "template <class T> __global__ void k(T) { static int d; int e; }\n"
                             "__device__ int f() { return 1; }",
                             &output, messages, sizeof messages),
                     0);
    assert_non_null(strstr(output, "\n[[gnu::used]] static const int simt_names = "
                                   "simt_device_names(\" k\", \" a b c d f\");\n"));
    assert_int_equal(rewrite("int main() {}", &output, messages, sizeof messages), 0);
    assert_null(strstr(output, "simt_names"));
    mode = "";
    assert_int_equal(
        rewrite("#include <a.h>\n__device__ int a;", &output, messages, sizeof messages), 0);
    assert_non_null(strstr(output, "simt_device_names(\"\", \" a\");\n"));
    /* The rewriter has not read a header of the program itself. */
    assert_int_equal(
        rewrite("# include \"a.h\"\n__device__ int a;", &output, messages, sizeof messages), 0);
    assert_non_null(strstr(output, "simt_device_names(\"\", nullptr);\n"));
    mode = "--preprocessed";
}

static void test_the_host_uses_the_device(void **state)
{
    (void)state;
    assert_says("# 1 \"a.cu\"\n__device__ int n, m, list[4], x;\nint main() {\n n = 1;\n return "
                "list[2];\n printf(\"%d\", m);\n}\n",
                "a.cu:3: error: n is a variable of the device, written by the host: use "
                "cudaMemcpyToSymbol()\n"
                "a.cu:4: error: list is a variable of the device, read by the host: use "
                "cudaMemcpyFromSymbol()\n"
                "a.cu:5: error: m is a variable of the device, read by the host: use "
                "cudaMemcpyFromSymbol()\n");
    assert_rewrites("__device__ int n; __managed__ int m; __device__ const int c = 2;\n"
                    "void f(int *n) { n[1] = m; m = c; }\n"
                    "void g() { int n = 1; n++; }\n"
                    "void h() { C(cudaMemcpyToSymbol(n, &i, sizeof n)); upload(n, 1); p = &n; }\n"
                    "__host__ __device__ void j() { n = 2; }",
                    " int n;  int m;  const int c = 2;\n"
                    "void f(int *n) { n[1] = m; m = c; }\n"
                    "void g() { int n = 1; n++; }\n"
                    "void h() { C(cudaMemcpyToSymbol(n, &i, sizeof n)); upload(n, 1); p = &n; }\n"
                    "  void j() { n = 2; }");
}

/* An array name without subscripts is an address. The host may pass it on. */
static void test_the_host_takes_addresses(void **state)
{
    (void)state;
    assert_rewrites("__device__ float a[4], b[2][3];\nfloat *f() { return a; }\n"
                    "void g() { float *p = a, *q = b[1]; printf(\"%p\", (void *)a); }",
                    " float a[4], b[2][3];\nfloat *f() { return a; }\n"
                    "void g() { float *p = a, *q = b[1]; printf(\"%p\", (void *)a); }");
    assert_says("# 1 \"a.cu\"\n__constant__ char a[4], b[2][3];\nint f() { return b[0][1]; }\n"
                "char g() { return a[2]; }\nvoid h() { printf(\"%s\", a); }",
                "a.cu:2: error: b is a variable of the device, read by the host: use "
                "cudaMemcpyFromSymbol()\n"
                "a.cu:3: error: a is a variable of the device, read by the host: use "
                "cudaMemcpyFromSymbol()\n"
                "a.cu:4: error: a is a variable of the device, read by the host: use "
                "cudaMemcpyFromSymbol()\n");
}

/* using X = X<T> in a class: the rewriter names the namespace of the X that is meant. */
static void test_own_names(void **state)
{
    (void)state;
    assert_rewrites(
        "namespace std { template <class T> struct A {}; } template <class T> class A;\n"
        "struct S { using A = A<int>; A a; };",
        "namespace std { template <class T> struct A {}; } template <class T> class A;\n"
        "struct S { using A = ::A<int>; A a; };");
    assert_rewrites(
        "struct A {}; namespace n { namespace { struct A {}; } namespace m { struct S {\n"
        "using A = A; }; } }",
        "struct A {}; namespace n { namespace { struct A {}; } namespace m { struct S {\n"
        "using A = ::n::A; }; } }");
    assert_same("namespace n { struct A; } using namespace n; struct S { using A = A; };");
    assert_same("struct A; struct S { struct A; struct T { using A = A; }; };");
    assert_same("struct A; struct S { using A = n::A; using B = B; };");
}

/* Code that nvcc accepts and g++ rejects. */
static void test_leniency(void **state)
{
    (void)state;
    assert_rewrites(
        "int main() { if (1) { return; } for (;;) return; try {} catch (int) { return; } "
        "switch (1) { case 1: { return; } default: do { return; } while (0); } }",
        "int main() { if (1) { return 0; } for (;;) return 0; try {} catch (int) { return 0; } "
        "switch (1) { case 1: { return 0; } default: do { return 0; } while (0); } }");
    assert_rewrites("template <class T> __device__ float f(T a) { if (a) { return; } return a; }",
                    "template <class T>  float f(T a) { if (a) { return 0; } return a; }");
    assert_same("struct S { int f() { return; } __attribute__((unused)) void g() { return; } };");
    assert_rewrites("__device__ void f() { return; } __device__ int *g() { return; } "
                    "__host__ __device__ int h() { return; }",
                    " void f() { return; }  int *g() { return; }   int h() { return; }");
    assert_rewrites("int main(int n, char **v)\n{\nreturn ;\n}\n",
                    "int main(int n, char **v)\n{\nreturn  0;\n}\n");
    assert_same(
        "int main() { auto f = [] { return; }; auto g = [](int) mutable -> void { return; };\n"
        "struct S { void f() { return; } }; f(); }");
    assert_same("void f() { return; } int f(int) { if (1) return; } namespace n { int main() { "
                "return; } }");
    assert_rewrites(
        "template <class T> struct S { static const T zero = T(0); T f() const; };",
        "template <class T> struct S { constexpr static const T zero = T(0); T f() const; };");
    assert_rewrites(
        "template <class T, int n = 2> class S : B<T> { const static n::T zero = 0; };",
        "template <class T, int n = 2> class S : B<T> { constexpr const static n::T zero = 0; };");
    assert_same("template <class T> struct S { static constexpr T a = 0; static const T b; "
                "static const T *c = 0; static const T d(); constexpr static const T e = 0; };");
    assert_same("struct S { static const float a = 0; }; static const float b = 0;\n"
                "template <class T> T f() { static const T a = 0; return a; }");
    assert_rewrites("struct R {}; enum E { A }; class H { const R R; E *E = 0, F; R f(int R); };",
                    "struct R {}; enum E { A }; class H { const struct R R; enum E *E = 0, F; "
                    "R f(int R); };");
    assert_same("struct R {}; typedef struct {} T; struct H { n::R R; T T; }; void f() { R R; }\n"
                "struct S { struct R R; };");
}

/* Switch labels behind initialized variables. */
static void test_cases(void **state)
{
    (void)state;
    assert_rewrites(
        "__device__ void f(int a) {\nswitch (a) {\ncase 1: int b = 1, *c = &b; break;\n"
        "case n::X: default: return;\n} }",
        " void f(int a) {\nswitch (a) {\ncase 1: { int b = 1, *c = &b; break;\n"
        "static_assert(__has_trivial_destructor(decltype(b)), \"jump to a label over what is to be "
        "destroyed\"); static_assert(__has_trivial_destructor(decltype(c)), \"jump to a label over "
        "what is to be destroyed\"); } case n::X: default: return;\n} }");
    /* Host code; a variable used later; the last label; no initialization; in braces. */
    assert_same("void f(int a) { switch (a) { case 1: int b = 1; break; case 2: ; } }");
    assert_rewrites(
        "__device__ void f(int a) { switch (a) { case 1: int b = 1; break; case 2: a = b; } }",
        " void f(int a) { switch (a) { case 1: int b = 1; break; case 2: a = b; } }");
    assert_rewrites(
        "__device__ void f(int a) { switch (a) { case 1: a = 2; asm volatile(\"\"); "
        "UNROLL for (;;) {} int c; case 2: { int b = 1; } break; default: int d = 1; } }",
        " void f(int a) { switch (a) { case 1: a = 2; { } "
        "UNROLL for (;;) {} int c; case 2: { int b = 1; } break; default: int d = 1; } }");
}

/* A byte order mark stays at the beginning or is removed. */
static void test_byte_order_mark(void **state)
{
    char messages[4096], expected[128], *output;
    (void)state;
    mode = "--arch";
    assert_int_equal(rewrite("\xEF\xBB\xBF#if __CUDA_ARCH__\n#endif\n__global__ void k() {\n"
                             "#if __CUDA_ARCH__\n#endif\n}\n",
                             &output, messages, sizeof messages),
                     0);
    mode = "";
    snprintf(expected, sizeof expected,
             "#line 1 \"%s/in.cu\"\n#if __CUDA_ARCH__\n#endif\n__global__ void k() {\n"
             "#if __SIMT_ARCH__\n#endif\n}\n",
             folder);
    assert_string_equal(messages, "");
    assert_string_equal(output, expected);
}

static int run_status(const char *arguments)
{
    char command[4096];
    int status;
    snprintf(command, sizeof command, "'%s' %s >/dev/null 2>&1", rewriter, arguments);
    status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_files(void **state)
{
    char arguments[256];
    (void)state;
    assert_int_equal(run_status(""), 1);
    assert_int_equal(run_status("--header thrust/sort.h"), 0);
    assert_int_equal(run_status("--header /usr/include/nvml.h"), 0);
    assert_int_equal(run_status("--header vector"), 1);
    assert_int_equal(run_status("--header cuda/functional"), 0);
    assert_int_equal(run_status("--header /home/me/cuda/functional.h"), 1);
    assert_int_equal(run_status("/nonexistent/in.cu /dev/null"), 1);
    snprintf(arguments, sizeof arguments, "%s/in.cu /nonexistent/out.cpp", folder);
    assert_int_equal(run_status(arguments), 1);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/in.cu", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/out.cpp", folder);
    remove(path);
    return rmdir(folder);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_chevrons_that_close_templates),
        cmocka_unit_test(test_lines_keep_their_numbers),
        cmocka_unit_test(test_what_is_no_launch),
        cmocka_unit_test(test_macros),
        cmocka_unit_test(test_extern_shared),
        cmocka_unit_test(test_extern_shared_of_a_file),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test_setup_teardown(test_qualifiers, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_gaps, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_kernels_are_registered, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_built_in_names, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_ptx, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_unknown_ptx, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_what_is_not_available, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_values_are_launched, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_shifts, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_cccl, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_names_of_the_device, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_the_host_uses_the_device, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_the_host_takes_addresses, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_own_names, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_leniency, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_cases, set_preprocessed, set_text),
        cmocka_unit_test_setup_teardown(test_who_calls_whom, set_preprocessed, set_text),
    };
    if (count != 2) {
        fputs("usage: test_simt_rewrite path/to/simt_rewrite\n", stderr);
        return 2;
    }
    rewriter = arguments[1];
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
