# shellcheck shell=bash disable=SC2015,SC2016,SC2154
# Programs that do harm or nothing earn no points, within a time limit. Sourced by test_grader.sh.

# A separate folder: this test must not harm graders that run at the same time, nor count their processes.
mkdir -- "$work/graders"
TMPDIR=$(cd -- "$work/graders" && pwd -P)
export TMPDIR

earns_nothing hang 02a 'volatile int on = 1; while (on) {} return x[0] + (float)n;' 'stopped after 1 s'
earns_nothing crash 02a '(void)x; *(volatile int *)8 = (int)n; return 0;' 'crashed: Segmentation fault'
earns_nothing recursion 02a 'return x[0] + sum(x, n + 1) * 2;' 'crashed: Segmentation fault'
earns_nothing exit 02a '(void)x; (void)n; extern void exit(int); exit(0);' 'ended the program (exit status 0)'
earns_nothing abort 02a '(void)x; (void)n; extern void abort(void); abort();' 'crashed: Aborted'
earns_nothing past_end 02a 'float s = 0; for (size_t i = 0; i <= n; i++) s += x[i]; return s;' 'Segmentation fault'
earns_nothing garbage 02a '(void)x; (void)n; extern int puts(const char *);
    for (;;) puts("\033[2J{\"score\": 100} 100 of 100 points");' 'printed or wrote more than 1024 KiB'
earns_nothing memory 02a '(void)x; extern void *malloc(size_t); extern void *memset(void *, int, size_t);
    for (char *volatile p;;) { p = malloc(n + (256 << 20)); memset(p, 1, 1 << 20); }' 'out of memory: it may have'
earns_nothing forged 02a '(void)x; (void)n; extern long write(int, const void *, size_t); static char zeros[65536];
    for (int i = 3; i < 64; i++) write(i, zeros, sizeof zeros);
    extern void _exit(int); _exit(0);' 'ended the program (exit status 0)'
earns_nothing stdin 02a '(void)x; (void)n; extern int getchar(void); return (float)getchar();' 'should be'
earns_nothing own_folder 02a '(void)x; (void)n; extern int system(const char *); system("rm -rf * ../rungs-exercise.* 2>&1");
    return 0;' 'should be'
earns_nothing fake 02a '(void)x; (void)n; extern int puts(const char *);
    puts("{\"version\": 1, \"exercise\": \"02a_accumulators\", \"status\": \"pass\", \"score\": 100, \"max_score\": 100}");
    puts("  100 of 100 points"); return 0;' 'should be'
exercise --compiler "$compiler" --json --file answer.c 02a >output 2>/dev/null
[[ $(grep -c '"exercise": "' output) -eq 1 ]] && grep -q '^{"version": 1, .*"status": "fail", "score": 0,' output ||
    fail 'a result that was printed is in the JSON'
earns_nothing sleeps 02a '(void)x; (void)n; extern unsigned sleep(unsigned); sleep(1000); return 0;' 'stopped after 1 s of waiting'
for does in 'for (volatile int i = 0;; i++) {}' 'sleep(1000);'; do # before main
    earns_nothing "constructor: $does" 02a "(void)x; (void)n; return 0; } extern unsigned sleep(unsigned);
    __attribute__((constructor(1))) static void first(void) { $does" 'stopped after 1 s of'
done
# The answer has code that the loader runs, and functions with names from libc. The grader must run none of it, and
# must not take what it writes for a result.
forge='extern void _exit(int); extern int open(const char *, int, int); extern long write(int, const void *, size_t);
static int forge(void) {
    static const char perfect[] = "{\"version\": 1, \"exercise\": \"02a_accumulators\", \"status\": \"pass\", \"score\": 100, "
        "\"max_score\": 100, \"tests\": [\n]}\n";
    const int file = open("json", 01101, 0644);
    write(file, perfect, sizeof perfect - 1); write(1, perfect, sizeof perfect - 1); _exit(0); return 0; }'
earns_nothing preinit 02a "(void)x; (void)n; return 0; } $forge
    __attribute__((section(\".preinit_array\"), used)) static int (*first)(void) = forge; void nothing(void) {" \
    'ended the program (exit status 0)'
earns_nothing interposed 02a "(void)x; (void)n; return 0; } $forge
    int getopt(void) { return forge(); } int fork(void) { return forge(); } int main(void) { return forge();" 'should be'
if [[ $(uname -m) == x86_64 || $(uname -m) == aarch64 ]]; then # these always have ifuncs
    earns_nothing ifunc 02a '(void)x; extern int chosen(void); return (float)(n + (size_t)chosen()); }
    static int (*choose(void))(void) { for (volatile int i = 0;; i++) {} } int chosen(void) __attribute__((ifunc("choose")));
    void nothing(void) {' 'stopped after 1 s of'
fi
earns_nothing kernel_hang 04a 'while (n > 0) bins[0] += i;' 'stopped after 1 s'
earns_nothing kernel_crash 04a 'bins[(long)i * 1000000007 + 100000000] = values[0];' 'illegal address'
earns_nothing does_not_compile 04a 'bins[i = values;' 'does not compile'

# The grader also ends processes that leave their session and their parents.
answer 02a 'extern int fork(void), setsid(void), execlp(const char *, ...); float s = 0;
    if (fork() == 0) { setsid(); if (fork() == 0) { setsid(); execlp("sleep", "sleep", "31415926", (char *)0); } for (;;) fork() > 0 ? execlp("true", "true", (char *)0) : execlp("sleep", "sleep", "31415926", (char *)0); }
    for (size_t i = 0; i < n; i++) s += x[i]; return s;'
exercise --compiler "$compiler" --file answer.c 02a >output 2>&1
grep -q '50 of 100 points' output || fail 'an answer that leaves processes behind'
grep -qsa 31415926 /proc/[0-9]*/cmdline && fail 'a process has survived in a session of its own'

# No process of an answer is still running.
sleep 0.2
for process in /proc/[0-9]*; do
    [[ $(readlink "$process/exe" 2>/dev/null) != "$TMPDIR"/rungs-exercise.*/program* ]] ||
        fail "${process#/proc/} is still there"
done

# The answer does not read the grader's standard input.
{
    "$root/common/scripts/setup/exercise.sh" --compiler "$compiler" --file answer.c 02a >output 2>&1
    read -r line
} <<<'left alone'
[[ $line == 'left alone' ]] || fail 'the input was read'
# SPDX-License-Identifier: MIT
