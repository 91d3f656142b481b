! Common blocks, module variables and saved ones: one copy for all threads of all nodes. Formatted output from all of them.
module counters
  implicit none
  integer :: in_module = 0
  real(8), save :: table(5000) = 1.5d0
end module

subroutine count_up(by)
  implicit none
  integer, intent(in) :: by
  integer :: in_common, parts(3)
  real(8) :: weight
  common /numbers/ in_common, parts, weight
  integer, save :: calls = 0
  integer :: i
  !$omp atomic
  in_common = in_common + by
  !$omp critical
  calls = calls + 1
  do i = 1, 3
    parts(i) = parts(i) + i
  end do
  weight = weight + 0.5d0
  !$omp end critical
end subroutine

subroutine check(condition, what)
  implicit none
  logical, intent(in) :: condition
  character(*), intent(in) :: what
  if (.not. condition) then
    print '(2a)', 'failed: ', what
    stop 1
  end if
end subroutine

program common_blocks
  use counters
  use omp_lib
  implicit none
  integer, parameter :: team = 6, rounds = 100
  integer :: in_common, parts(3)
  real(8) :: weight
  common /numbers/ in_common, parts, weight
  integer :: i, me
  character(80) :: line
  in_common = 0
  parts = 0
  weight = 0
  !$omp parallel num_threads(team) private(i, me)
  me = omp_get_thread_num()
  do i = 1, rounds
    call count_up(2)
    !$omp atomic
    in_module = in_module + 1
  end do
  !$omp do
  do i = 1, size(table)
    table(i) = table(i) * i
  end do
  !$omp end do
  call check(table(1 + me) == 1.5d0 * (1 + me), 'module table')
  !$omp end parallel
  call check(in_common == 2 * team * rounds, 'common counter')
  call check(all(parts == team * rounds * [1, 2, 3]), 'common array')
  call check(weight == 0.5d0 * team * rounds, 'common real')
  call check(in_module == team * rounds, 'module counter')
  call check(sum(table) == 1.5d0 * 5000 * 5001 / 2, 'sum of the table')

  ! Formatted output inside regions, into strings and to standard output.
  !$omp parallel num_threads(team) private(line)
  write (line, '(a, i0, a, f6.2)') 'thread ', omp_get_thread_num(), ' has ', 0.25 * omp_get_thread_num()
  !$omp critical
  print '(a)', trim(line)
  !$omp end critical
  !$omp end parallel
  print '(a)', 'done'
end program
