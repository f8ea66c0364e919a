/* Several threads compute a sum. Each calls add_up. When all have returned, one calls total. */
enum { SLOT_FLOATS = 16 };

struct sum {
    const float *x;
    int n, threads;
    float *slots; /* SLOT_FLOATS * threads floats, all 0; starts at a cache line */
};

void add_up(int thread, void *data);
float total(const struct sum *sum);

/* ---- your work ---- */
void add_up(int thread, void *data)
{
    const struct sum *sum = data;

    for (int i = thread; i < sum->n; i += sum->threads)
        sum->slots[8 * thread] += sum->x[i];
}

float total(const struct sum *sum)
{
    float result = 0;
    for (int t = 0; t < sum->threads; t++)
        result += sum->slots[8 * t];
    return result;
}
/* ---- end of your work ---- */
