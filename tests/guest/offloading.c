// A program that offloads to devices and says what it finds; what it prints is the same whenever the devices are served
// as they should.
#include <omp.h>
#include <stdio.h>

enum { elements = 1000 };

#pragma omp declare target
static int on_device = 5;
static int raised(int number) { return number + on_device; }
#pragma omp end declare target

static void about_devices(void) {
  printf("devices %d, initial %d, default %d, is initial %d\n", omp_get_num_devices(), omp_get_initial_device(),
         omp_get_default_device(), omp_is_initial_device());
  omp_set_default_device(omp_get_num_devices() - 1);
  printf("default now %d\n", omp_get_default_device());
  omp_set_default_device(0);
}

static void about_regions(void) {
  for (int device = 0; device <= omp_get_num_devices(); device++) {
    int is_initial = -1, number = 1;
#pragma omp target device(device) map(from : is_initial) map(tofrom : number)
    {
      is_initial = omp_is_initial_device();
      number = raised(number);
    }
    printf("device %d: is initial %d, number %d\n", device, is_initial, number);
  }
  double values[elements], sum = 0;
  for (int i = 0; i < elements; i++)
    values[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : values) reduction(+ : sum)
  for (int i = 0; i < elements; i++) {
    values[i] *= 2;
    sum += values[i];
  }
  printf("sum %g, last %g\n", sum, values[elements - 1]);
}

static void about_memory(void) {
  const int host = omp_get_initial_device();
  int values[elements], back[elements] = {0};
  for (int i = 0; i < elements; i++)
    values[i] = i;
  int* there = omp_target_alloc(sizeof values, 0);
  omp_target_memcpy(there, values, sizeof values, 0, 0, 0, host);
#pragma omp target is_device_ptr(there) device(0)
  for (int i = 0; i < elements; i++)
    there[i] *= 3;
  omp_target_memcpy(back, there, sizeof back, 0, 0, host, 0);
  omp_target_free(there, 0);
  printf("copied back %d, present %d", back[elements - 1], omp_target_is_present(values, 0));
#pragma omp target enter data map(to : values)
  printf(", mapped %d", omp_target_is_present(values, 0));
#pragma omp target
  values[1] = 77;
  printf(", before %d", values[1]);
#pragma omp target update from(values)
  printf(", after %d\n", values[1]);
#pragma omp target exit data map(delete : values)
}

static void about_tasks(void) {
  int chain = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : chain) shared(chain)
    chain = 1;
#pragma omp target nowait depend(inout : chain) map(tofrom : chain)
    chain = chain * 10 + 2;
#pragma omp task depend(inout : chain) shared(chain)
    chain = chain * 10 + 3;
#pragma omp taskwait
  }
  printf("chain %d\n", chain);
}

int main(void) {
  about_devices();
  about_regions();
  about_memory();
  about_tasks();
  return 0;
}
