// OpenACC by gcc on the host: regions, data, queues and the routines. What it prints is the same with whatever library
// stands in libgomp's place.
#include <openacc.h>
#include <stdio.h>

enum { elements = 1000 };

static void about_devices(void) {
  acc_init(acc_device_host);
  printf("devices %d %d %d, type %d, number %d", acc_get_num_devices(acc_device_default),
         acc_get_num_devices(acc_device_host), acc_get_num_devices(acc_device_none), acc_get_device_type(),
         acc_get_device_num(acc_device_host));
  acc_set_device_type(acc_device_host);
  acc_set_device_num(0, acc_device_host);
  acc_device_t types[] = {acc_device_host, acc_device_not_host, acc_device_none};
  for (int i = 0; i < 3; i++)
    printf(" %d", acc_on_device(types[i]));
  printf(", memory %d\n", (int)acc_get_property(0, acc_device_host, acc_property_memory));
}

static void about_regions(void) {
  double values[elements], sum = 0;
  for (int i = 0; i < elements; i++)
    values[i] = i;
#pragma acc data copy(values)
  {
#pragma acc parallel loop reduction(+ : sum) num_gangs(4) vector_length(32)
    for (int i = 0; i < elements; i++) {
      values[i] *= 2;
      sum += values[i];
    }
#pragma acc kernels
    for (int i = 0; i < elements; i++)
      values[i] += 1;
#pragma acc update self(values)
  }
  int own = 5, result = 0;
#pragma acc parallel firstprivate(own) copyout(result) async(1) wait(2, 3)
  {
    own++;
    result = own;
  }
#pragma acc wait(1)
#pragma acc wait(1, 2, 3) async(4)
#pragma acc serial copy(result)
  result *= 2;
  printf("sum %g, last %g, own %d, result %d\n", sum, values[elements - 1], own, result);
}

static void about_data(void) {
  int values[10] = {1, 2, 3}, back[10] = {0};
#pragma acc enter data copyin(values) async(1)
  printf("present %d %d %d", acc_is_present(values, sizeof values), acc_is_present(values, 0), acc_is_present(NULL, 4));
  acc_update_device(values, sizeof values);
  acc_update_self_async(values, sizeof values, 2);
#pragma acc exit data delete (values)finalize
  printf(", same %d %d %d", acc_copyin(values, sizeof values) == values, acc_deviceptr(values) == values,
         acc_hostptr(values) == values);
  acc_copyout(values, sizeof values);
  int* block = acc_malloc(sizeof values);
  acc_memcpy_to_device(block, values, sizeof values);
  acc_memcpy_from_device_async(back, block, sizeof back, 1);
  acc_wait_all();
  printf(", done %d %d, copied %d\n", acc_async_test(1), acc_async_test_all(), back[2]);
  acc_free(block);
}

int main(int argc, char** argv) {
  if (argc > 1 && argv[1]) {
    printf("vendor %s\n", acc_get_property_string(0, acc_device_host, acc_property_vendor));
    return 0;
  }
  about_devices();
  about_regions();
  about_data();
  return 0;
}
