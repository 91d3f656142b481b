! Thread-private variables: each thread of each node has its own, and keeps its value from region to region.
module own_values
  implicit none
  integer, save :: own = 100
  !$omp threadprivate(own)
end module

program threadprivate
  use own_values
  use omp_lib
  implicit none
  integer, parameter :: team = 6
  integer :: i, visit, seen(0:team - 1)
  do visit = 1, 4
    !$omp parallel num_threads(team)
    if (visit == 1) then
      if (own /= 100) stop 1
      own = 10 * omp_get_thread_num()
    end if
    own = own + 1
    seen(omp_get_thread_num()) = own
    !$omp end parallel
    if (any(seen /= [(10 * i + visit, i = 0, team - 1)])) then
      print *, 'failed: ', seen
      stop 1
    end if
  end do
  print '(a)', 'done'
end program
