// Managed memory: a variable, a class with managed objects, a list that host and device traverse.
#include <cstring>
#include <new>

#include "check.cuh"

__device__ __managed__ int hits;
__managed__ float shared_table[4];

class Managed
{
  public:
    void *operator new(size_t len)
    {
        void *ptr;
        CHECK(cudaMallocManaged(&ptr, len));
        CHECK(cudaDeviceSynchronize());
        return ptr;
    }
    void operator delete(void *ptr)
    {
        cudaDeviceSynchronize();
        cudaFree(ptr);
    }
};

class String : public Managed
{
    int length;
    char *data;

  public:
    explicit String(const char *s)
    {
        length = (int)strlen(s);
        CHECK(cudaMallocManaged(&data, length + 1));
        memcpy(data, s, length + 1);
    }
    ~String()
    {
        cudaFree(data);
    }
    __host__ __device__ char &operator[](int pos)
    {
        return data[pos];
    }
    __host__ __device__ int size() const
    {
        return length;
    }
    const char *c_str() const
    {
        return data;
    }
};

struct Node : public Managed {
    String *name;
    int value;
    Node *next;
};

__global__ void walk(Node *list)
{
    for (Node *node = list; node; node = node->next) {
        if (threadIdx.x < node->name->size()) {
            char &c = (*node->name)[threadIdx.x];
            c = c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
        }
        if (threadIdx.x == 0) {
            node->value *= 2;
            hits++;
            shared_table[1] += 0.5f;
        }
    }
}

int main()
{
    const char *names[] = {"one", "two", "three"};
    Node *list = NULL;
    for (int i = 0; i < 3; i++) {
        Node *node = new Node;
        node->name = new String(names[i]);
        node->value = i;
        node->next = list;
        list = node;
    }
    CHECK(cudaStreamAttachMemAsync(nullptr, list, 0, cudaMemAttachGlobal));
    EXPECT(cudaStreamAttachMemAsync(nullptr, list, 0, 8) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    hits = 1;
    walk<<<1, 32>>>(list);
    CHECK(cudaDeviceSynchronize());
    EXPECT(hits == 4 && shared_table[1] == 1.5f);
    EXPECT(strcmp(list->name->c_str(), "THREE") == 0 && list->value == 4);
    EXPECT(strcmp(list->next->name->c_str(), "TWO") == 0 && list->next->value == 2);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, list));
    EXPECT(attributes.type == cudaMemoryTypeManaged);
    while (list) {
        Node *next = list->next;
        delete list->name;
        delete list;
        list = next;
    }
    return passed();
}
