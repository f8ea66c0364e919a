// Two buffers that are swapped. A glider regains its shape after four steps, one cell further.
#include <utility>
#include <vector>

#include "check.cuh"

__global__ void step(const unsigned char *now, unsigned char *next, int width, int height)
{
    for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < width * height;
         cell += blockDim.x * gridDim.x) {
        int x = cell % width, y = cell / width, neighbours = 0;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                if (dx != 0 || dy != 0) {
                    int nx = (x + dx + width) % width, ny = (y + dy + height) % height;
                    neighbours += now[ny * width + nx];
                }
            }
        }
        next[cell] = neighbours == 3 || (neighbours == 2 && now[cell]);
    }
}

int main()
{
    const int width = 24, height = 18, size = width * height, generations = 4 * 24;
    std::vector<unsigned char> world(size, 0), expected(size, 0);
    const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (auto &cell : glider) {
        world[cell[1] * width + cell[0]] = 1;
        // It moves one cell to the right and down in four steps.
        int x = (cell[0] + generations / 4) % width, y = (cell[1] + generations / 4) % height;
        expected[y * width + x] = 1;
    }
    unsigned char *now, *next;
    CHECK(cudaMalloc(&now, size));
    CHECK(cudaMalloc(&next, size));
    CHECK(cudaMemcpy(now, world.data(), size, cudaMemcpyHostToDevice));
    for (int i = 0; i < generations; i++) {
        step<<<4, 64>>>(now, next, width, height);
        std::swap(now, next);
    }
    CHECK(cudaMemcpy(world.data(), now, size, cudaMemcpyDeviceToHost));
    EXPECT(world == expected);
    cudaFree(now);
    cudaFree(next);
    return passed();
}
