! The same from Fortran: routines have names and ways of their own.
program main
  use openacc
  implicit none
  integer :: values(100), i, total
  character(8) :: name
  values = [(i, i = 1, 100)]
  call acc_init(acc_device_host)
  print *, acc_get_num_devices(acc_device_host), acc_get_device_type(), acc_get_device_num(acc_device_host)
  call acc_set_device_num(0, acc_device_host)
  call acc_copyin(values)
  print *, acc_is_present(values), acc_on_device(acc_device_host), acc_async_test_all()
  total = 0
  !$acc parallel loop copy(values) reduction(+ : total) async(1)
  do i = 1, 100
    values(i) = 2 * values(i)
    total = total + values(i)
  end do
  call acc_wait(1)
  call acc_update_self(values)
  call acc_copyout(values)
  name = 'filled'
  call acc_get_property_string(0, acc_device_host, acc_property_name, name)
  print *, total, values(100), len_trim(name)
end program
