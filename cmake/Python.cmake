# The interpreter itself, for find_package(Python3) to take. A python3 on the path may be a script that looks for it, as pyenv's is, and
# takes longer to do so than many a test takes.
if(NOT Python3_EXECUTABLE)
  find_program(HETMP_PYTHON3 python3)
  mark_as_advanced(HETMP_PYTHON3)
  execute_process(COMMAND ${HETMP_PYTHON3} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE interpreter OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(NOT failed AND EXISTS "${interpreter}")
    set(Python3_EXECUTABLE "${interpreter}" CACHE FILEPATH "The Python interpreter that tests are run by")
  endif()
endif()
