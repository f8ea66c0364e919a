// A picture: complex arithmetic, uchar4 pixels, two-dimensional blocks.
#include <device_launch_parameters.h>
#include <vector>

#include "check.cuh"

struct Complex {
    float re, im;
    __host__ __device__ Complex(float r, float i) : re(r), im(i)
    {
    }
    __host__ __device__ float magnitude2() const
    {
        return re * re + im * im;
    }
    __host__ __device__ Complex operator*(const Complex &o) const
    {
        return Complex(re * o.re - im * o.im, re * o.im + im * o.re);
    }
    __host__ __device__ Complex operator+(const Complex &o) const
    {
        return Complex(re + o.re, im + o.im);
    }
};

__host__ __device__ int iterations(int x, int y, int width, int height)
{
    Complex c(3.0f * x / width - 2.0f, 2.0f * y / height - 1.0f), z(0, 0);
    int i = 0;
    while (i < 100 && z.magnitude2() < 4.0f) {
        z = z * z + c;
        i++;
    }
    return i;
}

__global__ void mandelbrot(uchar4 *image, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int i = iterations(x, y, width, height);
    uchar4 pixel;
    pixel.x = pixel.y = (unsigned char)i;
    pixel.z = i == 100 ? 255 : 0;
    pixel.w = 255;
    image[y * width + x] = pixel;
}

int main()
{
    // The corners and the centre do not depend on rounding.
    const int width = 60, height = 40;
    std::vector<uchar4> image(width * height);
    uchar4 *d_image;
    CHECK(cudaMalloc(&d_image, image.size() * sizeof(uchar4)));
    mandelbrot<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(d_image, width,
                                                                              height);
    CHECK(cudaMemcpy(image.data(), d_image, image.size() * sizeof(uchar4), cudaMemcpyDeviceToHost));
    EXPECT(image[0].x == iterations(0, 0, width, height));
    EXPECT(image[20 * width + 40].z == 255 && image[20 * width + 40].x == 100);
    EXPECT(image[20 * width + 25].z == 255 && image[39 * width + 59].z == 0);
    int inside = 0;
    for (uchar4 pixel : image) {
        EXPECT(pixel.w == 255);
        inside += pixel.z == 255;
    }
    EXPECT(inside > width * height / 6 && inside < width * height / 3);
    cudaFree(d_image);
    return passed();
}
