/* SIMT_FAIL: exactly the named call fails, with the given error or a likely one. The message at the
 * end helps to try every call in turn. The test starts itself as the program. That program calls
 * the runtime and prints what each call returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "cuda_runtime_api.h"

static const char *self;

/* The six calls that the program makes. cudaEventCreate makes another call itself. */
static int make_calls(void)
{
    void *memory = NULL;
    cudaEvent_t event;
    int count, value = 7;
    const cudaError_t errors[] = {
        cudaGetDeviceCount(&count), cudaMalloc(&memory, 4),
        cudaMemset(memory, 0, 4),   cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost),
        cudaEventCreate(&event),    cudaFree(memory),
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        printf("%d ", (int)errors[i]);
    }
    printf("last %d\n", (int)cudaGetLastError());
    return EXIT_SUCCESS;
}

/* Removes the call's place, which is known only if compiled with debugging information. */
static void drop_place(char *text)
{
    char *at = strstr(text, " at "), *fails = at ? strstr(at, " fails (") : NULL;
    if (fails) {
        memmove(at, fails, strlen(fails) + 1);
    }
}

/* What the program prints to stdout and stderr with SIMT_FAIL=`asked`. Ends with "status N". */
static const char *run_with(const char *asked)
{
    static char text[4096];
    char command[4096];
    FILE *output;
    size_t length;
    int status;
    snprintf(command, sizeof command, "SIMT_FAIL='%s' '%s' calls 2>&1", asked, self);
    output = popen(command, "r");
    assert_non_null(output);
    length = fread(text, 1, sizeof text - 32, output);
    status = pclose(output);
    sprintf(text + length, "status %d\n", status / 256);
    drop_place(text);
    return text;
}

static void test_no_failure(void **state)
{
    (void)state;
    assert_string_equal(run_with(""), "0 0 0 0 0 0 last 0\nstatus 0\n");
    assert_string_equal(run_with("0"),
                        "0 0 0 0 0 0 last 0\n"
                        "simt: SIMT_FAIL=0: 6 calls of the CUDA runtime, none failed\nstatus 0\n");
    assert_non_null(strstr(run_with("7"), "SIMT_FAIL=7: 6 calls of the CUDA runtime, none failed"));
}

static void test_each_call(void **state)
{
    const char *text;
    (void)state;
    /* (In programs with line numbers, the place of the call stands in between.) */
    text = run_with("1");
    assert_ptr_equal(strstr(text, "simt: SIMT_FAIL=1: cudaGetDeviceCount"), text);
    assert_non_null(strstr(text, " fails (cudaErrorUnknown: unknown error)\n"
                                 "999 0 0 0 0 0 last 999\nstatus 0\n"));
    text = run_with("2");
    assert_ptr_equal(strstr(text, "simt: SIMT_FAIL=2: cudaMalloc"), text);
    assert_non_null(strstr(text, " fails (cudaErrorMemoryAllocation: out of memory)\n"));
    assert_non_null(strstr(run_with("4"), "\n0 0 0 999 0 0 last 999\n"));
    assert_non_null(strstr(run_with("5"), "cudaEventCreate"));
    assert_non_null(strstr(run_with("6"), "\n0 0 0 0 0 999 last 999\n"));
}

static void test_chosen_errors(void **state)
{
    (void)state;
    assert_non_null(strstr(run_with("1:cudaErrorNoDevice"), "\n100 0 0 0 0 0 last 100\n"));
    /* After a fault, the device executes nothing any more. */
    assert_non_null(strstr(run_with("3:cudaErrorIllegalAddress"), "\n0 0 700 700 0 0 last 700\n"));
}

static void test_bad_requests(void **state)
{
    static const char *const bad[] = {
        "x", "-1", "1:", "1:cudaErrorNone", "1:cudaSuccess", "1 2", "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const text = run_with(bad[i]);
        assert_int_equal(strncmp(text, "simt: SIMT_FAIL=", 16), 0);
        assert_non_null(strstr(text, ": want the number of a call"));
        assert_non_null(strstr(text, "\nstatus 2\n"));
        assert_ptr_equal(strchr(text, '\n'), strstr(text, "\nstatus"));
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_failure),
        cmocka_unit_test(test_each_call),
        cmocka_unit_test(test_chosen_errors),
        cmocka_unit_test(test_bad_requests),
    };
    self = arguments[0];
    return count > 1 ? make_calls() : cmocka_run_group_tests(tests, NULL, NULL);
}
