! Units: opened by main and written by all threads, opened by threads, scratch files and units that the library numbers,
! internal ones, and what the command line says.
subroutine check(condition, what)
  implicit none
  logical, intent(in) :: condition
  character(*), intent(in) :: what
  if (.not. condition) then
    print '(a)', what
    stop 1
  end if
end subroutine

subroutine write_by_all(unit, lines)
  implicit none
  integer, intent(in) :: unit, lines
  integer :: i, number, seen(lines)
  real(8) :: root
  !$omp parallel do schedule(dynamic)
  do i = 1, lines
    !$omp critical
    write(unit, '(i6,f12.6)') i, sqrt(dble(i))
    !$omp end critical
  end do
  rewind(unit)
  seen = 0
  do i = 1, lines
    read(unit, *) number, root
    seen(number) = seen(number) + 1
    call check(abs(root - sqrt(dble(number))) < 1d-5, 'a line is damaged')
  end do
  call check(all(seen == 1), 'lines are missing')
end subroutine

subroutine open_by_all(rounds)
  implicit none
  integer, intent(in) :: rounds
  integer :: i, j, unit, first, second, bad
  character(len=40) :: name, text
  bad = 0
  !$omp parallel do private(j, unit, first, second, name, text) reduction(+:bad) schedule(dynamic)
  do i = 1, rounds
    write(name, '(a,i0)') 'unit ', i
    if (mod(i, 3) == 0) then
      unit = 100 + i
      open(unit=unit, status='scratch', action='readwrite', form='formatted')
    else
      open(newunit=unit, status='scratch', action='readwrite', form='formatted')
    end if
    do j = 1, 10
      write(unit, '(2i8)') i, j * i
    end do
    rewind(unit)
    do j = 1, 10
      read(unit, *) first, second
      if (first /= i .or. second /= j * i) bad = bad + 1
    end do
    close(unit)
    write(text, '(a,i0)') 'unit ', i
    if (text /= name) bad = bad + 1
  end do
  call check(bad == 0, 'a unit had what another one was given')
end subroutine

subroutine ask_by_all()
  implicit none
  integer :: i, arguments, bad
  arguments = command_argument_count()
  bad = 0
  !$omp parallel do reduction(+:bad)
  do i = 1, 16
    if (command_argument_count() /= arguments) bad = bad + 1
  end do
  call check(bad == 0, 'a thread knows of other arguments')
end subroutine

program units
  implicit none
  integer :: round
  do round = 1, 10
    open(unit=10, status='scratch', action='readwrite', form='formatted')
    call write_by_all(10, 50)
    close(10)
    call open_by_all(24)
    call ask_by_all()
  end do
  print '(a)', 'done'
end program
