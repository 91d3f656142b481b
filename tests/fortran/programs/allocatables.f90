! Allocatable arrays, components and strings: allocated by main and by threads of all nodes, filled by others, moved,
! reallocated by assignment and freed elsewhere.
module lists
  implicit none
  type row
    integer, allocatable :: cells(:)
    character(:), allocatable :: name
  end type
  integer, parameter :: team = 6
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print '(2a)', 'failed: ', what
      stop 1
    end if
  end subroutine
end module

program allocatables
  use lists
  use omp_lib
  implicit none
  call shared_array(20000)
  call rows_of_all_nodes()
  call handed_round()
  print '(a)', 'done'
contains

  subroutine shared_array(n)
    integer, intent(in) :: n
    real(8), allocatable :: x(:), y(:)
    integer :: i
    real(8) :: total
    allocate (x(n))
    total = 0
    !$omp parallel do num_threads(team) schedule(dynamic, 100)
    do i = 1, n
      x(i) = 2.0d0 * i
    end do
    y = x(n:1:-1) ! allocated by the assignment
    !$omp parallel do num_threads(team) reduction(+:total)
    do i = 1, n
      total = total + x(i) * y(n + 1 - i) / (2.0d0 * i)
    end do
    call check(total == dble(n) * (n + 1), 'sum over shared arrays')
    deallocate (x)
    call check(.not. allocated(x) .and. size(y) == n, 'one is gone, the other is not')
  end subroutine

  ! Each thread allocates rows; the next one looks at them and makes them longer; main sees all.
  subroutine rows_of_all_nodes()
    type(row) :: rows(0:team - 1)
    integer :: me, theirs, i
    !$omp parallel num_threads(team) private(me, theirs, i)
    me = omp_get_thread_num()
    allocate (rows(me)%cells(100 * (me + 1)))
    rows(me)%cells = [(me + i, i = 1, size(rows(me)%cells))]
    rows(me)%name = repeat(achar(iachar('a') + me), 5 + me)
    !$omp barrier
    theirs = mod(me + 1, team)
    call check(size(rows(theirs)%cells) == 100 * (theirs + 1), 'size of another thread''s array')
    call check(all(rows(theirs)%cells == [(theirs + i, i = 1, 100 * (theirs + 1))]), 'content of it')
    !$omp barrier
    rows(theirs)%cells = [rows(theirs)%cells, rows(theirs)%cells]
    rows(theirs)%name = rows(theirs)%name//', longer'
    !$omp end parallel
    do i = 0, team - 1
      call check(size(rows(i)%cells) == 200 * (i + 1), 'size after growing')
      call check(rows(i)%cells(1) == i + 1 .and. rows(i)%cells(200 * (i + 1)) == i + 100 * (i + 1), 'content after growing')
      call check(rows(i)%name == repeat(achar(iachar('a') + i), 5 + i)//', longer', 'name')
    end do
  end subroutine

  ! One array is moved from owner to owner and freed by whoever has it last.
  subroutine handed_round()
    integer, allocatable :: slots(:), taken(:)
    integer :: round
    !$omp parallel num_threads(team) private(taken, round)
    do round = 1, 30
      !$omp critical
      if (allocated(slots)) then
        call move_alloc(slots, taken)
        taken = [taken, size(taken) + 1]
      else
        allocate (taken(1), source=1)
      end if
      call check(all(taken > 0) .and. taken(size(taken)) == size(taken), 'an array that was handed on')
      call move_alloc(taken, slots)
      !$omp end critical
    end do
    !$omp end parallel
    call check(size(slots) == 30 * team, 'all turns')
  end subroutine
end program
