! Integers of eight bytes: routines with arguments have names of their own.
program integer8
  use omp_lib
  implicit none
  integer :: threads, chunk
  integer(omp_sched_kind) :: kind
  call omp_set_num_threads(3)
  call omp_set_schedule(omp_sched_guided, 7)
  call omp_get_schedule(kind, chunk)
  if (iand(kind, 15_omp_sched_kind) /= omp_sched_guided .or. chunk /= 7) stop 1
  call omp_set_dynamic(.true.)
  if (.not. omp_get_dynamic()) stop 2
  call omp_set_dynamic(.false.)
  call omp_set_max_active_levels(2)
  if (omp_get_max_active_levels() /= 2) stop 3
  threads = 0
  !$omp parallel reduction(+ : threads)
  threads = threads + 1
  if (omp_get_team_size(1) /= 3 .or. omp_get_ancestor_thread_num(0) /= 0) stop 4
  !$omp end parallel
  if (threads /= 3) stop 5
  print '(a)', 'done'
end program
