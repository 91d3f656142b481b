! Heat in a bar, as people write it: allocatable arrays, parameters and results in a common block, as many threads as
! OMP_NUM_THREADS says. The same steps without threads must give the same numbers, and no heat may get lost.
subroutine step(from, to, cells)
  implicit none
  integer, intent(in) :: cells
  real(8), intent(in) :: from(0:cells + 1)
  real(8), intent(inout) :: to(0:cells + 1)
  real(8) :: diffusion, hottest
  integer :: steps
  common /bar/ diffusion, hottest, steps
  integer :: i
  hottest = 0
  !$omp parallel do schedule(runtime) reduction(max:hottest)
  do i = 1, cells
    to(i) = from(i) + diffusion * (from(i - 1) - 2 * from(i) + from(i + 1))
    hottest = max(hottest, to(i))
  end do
  !$omp parallel sections
  !$omp section
  to(0) = to(1) ! nothing flows out
  !$omp section
  to(cells + 1) = to(cells)
  !$omp end parallel sections
end subroutine

subroutine step_alone(from, to, cells)
  implicit none
  integer, intent(in) :: cells
  real(8), intent(in) :: from(0:cells + 1)
  real(8), intent(inout) :: to(0:cells + 1)
  real(8) :: diffusion, hottest
  integer :: steps
  common /bar/ diffusion, hottest, steps
  integer :: i
  do i = 1, cells
    to(i) = from(i) + diffusion * (from(i - 1) - 2 * from(i) + from(i + 1))
  end do
  to(0) = to(1)
  to(cells + 1) = to(cells)
end subroutine

program heat
  use omp_lib
  implicit none
  integer, parameter :: cells = 6000
  real(8) :: diffusion, hottest
  integer :: steps
  common /bar/ diffusion, hottest, steps
  real(8), allocatable :: now(:), next(:), alone(:), spare(:), parts(:)
  real(8) :: total, before
  integer :: i, me
  diffusion = 0.2d0
  steps = 40
  allocate (now(0:cells + 1), next(0:cells + 1), alone(0:cells + 1))
  !$omp parallel do
  do i = 0, cells + 1
    now(i) = mod(i * 37, 101)
    alone(i) = now(i)
  end do
  before = sum(now(1:cells)) + heat_through_ends()
  do i = 1, steps
    call step(now, next, cells)
    call move_alloc(now, spare) ! the arrays change places, one is made anew each time
    call move_alloc(next, now)
    deallocate (spare)
    allocate (next(0:cells + 1))
  end do
  allocate (spare(0:cells + 1))
  do i = 1, steps
    call step_alone(alone, spare, cells)
    alone = spare
  end do
  if (any(now /= alone)) call failed('other numbers than without threads')
  if (hottest /= maxval(now(1:cells))) call failed('the hottest cell')
  ! What the threads sum up of their own, in arrays that they allocate.
  allocate (parts(0:omp_get_max_threads() - 1), source=0d0)
  !$omp parallel private(me)
  me = omp_get_thread_num()
  parts(me) = sum_of_each(me + 1, omp_get_num_threads())
  !$omp end parallel
  total = sum(parts)
  if (abs(total - before) > 1d-9 * before) call failed('heat was lost')
  print '(a)', 'done'
contains

  ! What the first step lets in through the ends, whose outer cells do not mirror the inner ones yet.
  real(8) function heat_through_ends()
    heat_through_ends = diffusion * (now(0) - now(1) + now(cells + 1) - now(cells))
  end function

  real(8) function sum_of_each(first, stride)
    integer, intent(in) :: first, stride
    real(8), allocatable :: own(:)
    integer :: k
    sum_of_each = 0
    allocate (own(0))
    do k = first, cells, stride
      own = [own, now(k)] ! grows by one
      if (size(own) == 200) then
        sum_of_each = sum_of_each + sum(own)
        deallocate (own)
        allocate (own(0))
      end if
    end do
    sum_of_each = sum_of_each + sum(own)
  end function

  subroutine failed(what)
    character(*), intent(in) :: what
    print '(2a)', 'failed: ', what
    stop 1
  end subroutine
end program
