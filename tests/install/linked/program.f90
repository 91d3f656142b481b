! A loop over an allocatable array, and sections.
program linked
  use omp_lib
  implicit none
  integer, parameter :: n = 1000
  real(8), allocatable :: values(:)
  integer :: i, sections_done
  allocate(values(n))
  sections_done = 0
  !$omp parallel do num_threads(3) schedule(guided)
  do i = 1, n
    values(i) = i
  end do
  !$omp end parallel do
  !$omp parallel sections num_threads(2) reduction(+ : sections_done)
  !$omp section
  sections_done = sections_done + 1
  !$omp section
  sections_done = sections_done + 1
  !$omp end parallel sections
  if (sum(values) /= n * (n + 1) / 2 .or. sections_done /= 2) stop 1
  print '(a)', 'done'
end program
