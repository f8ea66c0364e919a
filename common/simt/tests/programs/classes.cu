// Classes in host and device code: operators, templates, constructors, inheritance, constexpr.
#include <cmath>

#include "check.cuh"

#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif

class Vec3
{
  public:
    float e[3];
    HD Vec3() : e{0, 0, 0}
    {
    }
    HD Vec3(float x, float y, float z) : e{x, y, z}
    {
    }
    HD float operator[](int i) const
    {
        return e[i];
    }
    HD Vec3 &operator+=(const Vec3 &o)
    {
        for (int i = 0; i < 3; i++)
            e[i] += o.e[i];
        return *this;
    }
    HD float length2() const
    {
        return e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    }
};

HD inline Vec3 operator+(Vec3 a, const Vec3 &b)
{
    return a += b;
}

HD inline Vec3 operator*(float t, const Vec3 &v)
{
    return Vec3(t * v[0], t * v[1], t * v[2]);
}

HD inline float dot(const Vec3 &a, const Vec3 &b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct Ray {
    Vec3 origin, direction;
    HD Vec3 at(float t) const
    {
        return origin + t * direction;
    }
};

struct Shape {
    __device__ Shape()
    {
    }
    __device__ virtual ~Shape()
    {
    }
    __device__ virtual bool hit(const Ray &ray, float *t) const = 0;
};

struct Sphere : Shape {
    Vec3 center;
    float radius;
    __device__ Sphere(Vec3 c, float r) : center(c), radius(r)
    {
    }
    __device__ bool hit(const Ray &ray, float *t) const override
    {
        Vec3 oc = ray.origin + -1.0f * center;
        float a = dot(ray.direction, ray.direction), b = dot(oc, ray.direction);
        float discriminant = b * b - a * (dot(oc, oc) - radius * radius);
        *t = (-b - sqrtf(discriminant)) / a;
        return discriminant > 0;
    }
};

template <typename T, int N>
struct Polynomial {
    T coefficients[N];
    __host__ __device__ constexpr T operator()(T x) const
    {
        T sum = 0;
        for (int i = N - 1; i >= 0; i--)
            sum = sum * x + coefficients[i];
        return sum;
    }
};

HD constexpr int cube(int x)
{
    return x * x * x;
}

__global__ void createWorld(Shape **world)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *world = new Sphere(Vec3(0, 0, -5), 2);
}

__global__ void render(Shape **world, float *out, Polynomial<float, 3> p)
{
    __shared__ int cubes[cube(2)];
    if (threadIdx.x < cube(2))
        cubes[threadIdx.x] = cube(threadIdx.x);
    __syncthreads();
    Ray ray = {Vec3(0, 0, 0), Vec3(0, 0, -1.0f - threadIdx.x)};
    float t;
    out[threadIdx.x] = (*world)->hit(ray, &t) ? ray.at(t).length2() : -1;
    out[threadIdx.x] += p(2.0f) + cubes[threadIdx.x % 8];
}

__global__ void freeWorld(Shape **world)
{
    delete *world;
}

// A class that only the host can copy. It does so once per launch; each thread gets the bytes.
class Numbers
{
    int *values;

  public:
    static int copies, alive;

    Numbers()
    {
        cudaMallocManaged(&values, 32 * sizeof(int));
        alive++;
    }
    Numbers(const Numbers &other) : Numbers()
    {
        copies++;
        for (int i = 0; i < 32; i++)
            values[i] = other.values[i];
    }
    ~Numbers()
    {
        cudaDeviceSynchronize();
        cudaFree(values);
        alive--;
    }
    __host__ __device__ int &operator[](int i)
    {
        return values[i];
    }
    __device__ void skip(int count)
    {
        values += count;
    }
};
int Numbers::copies, Numbers::alive;

__global__ void sumFrom(Numbers numbers, int *out)
{
    numbers.skip(threadIdx.x);
    out[threadIdx.x] = numbers[0] + numbers[1];
    __syncthreads();
    numbers[0] = -1;
}

void passHostCopies(int *out)
{
    Numbers numbers;
    for (int i = 0; i < 32; i++)
        numbers[i] = i;
    sumFrom<<<1, 31>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 31; i++)
        EXPECT(out[i] == 2 * i + 1 && numbers[i] == i);
    EXPECT(Numbers::copies >= 1 && Numbers::alive == 1);
}

// In the class, a name of the namespace gets a new meaning. g++ rejects that, nvcc accepts it.
namespace names
{
template <class T>
struct Row {
    T values[2];
};
template <class T>
class Table
{
    using Row = Row<T>;
    Row row;

  public:
    __host__ __device__ T sum(T a, T b)
    {
        row = Row{{a, b}};
        return row.values[0] + row.values[1];
    }
};
} // namespace names

__global__ void sumRow(int *out)
{
    *out = names::Table<int>().sum(3, 4);
}

int main()
{
    Shape **world;
    float *out;
    Polynomial<float, 3> p = {{1, 2, 3}};
    EXPECT(p(2.0f) == 17.0f);
    CHECK(cudaMalloc((void **)&world, sizeof(Shape *)));
    CHECK(cudaMallocManaged(&out, 32 * sizeof(float)));
    createWorld<<<1, 1>>>(world);
    render<<<1, 32>>>(world, out, p);
    freeWorld<<<1, 1>>>(world);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        EXPECT(fabsf(out[i] - (9.0f + 17.0f + float(cube(i % 8)))) < 1e-4f);
    cudaFree(world);
    cudaFree(out);
    int *sums;
    CHECK(cudaMallocManaged(&sums, 32 * sizeof(int)));
    passHostCopies(sums);
    sumRow<<<1, 1>>>(sums);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*sums == 7 && names::Table<float>().sum(1, 2) == 3);
    CHECK(cudaFree(sums));
    return passed();
}
