# For the scripts that machine.py makes: runs of programs, one after the other. What one says and leaves goes to /out/NAME; a line of standard
# output says how it ended:
#   ended NAME CODE HUNDREDTHS PACKETS      after so many hundredths of a second, since the last blow if there was one; code `none`: time was up
#   left NAME MACHINE PROCESS WORDS...      what was still there later
failed() {
  echo "failed ${name:-begin}: $*"
  exit 1
}

now() {
  local up
  read -r up _ </proc/uptime
  echo "${up%.*}${up#*.}"
}

# Until it comes true, for 30 seconds.
await() { # command...
  local end=$(($(now) + 3000))
  until "$@"; do
    [ "$(now)" -lt $end ] || failed "in vain: $*"
    sleep 0.05
  done
}

packets() {
  cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts 2>/dev/null || echo 0
}

begin() { # name command...
  name=$1
  shift
  mkdir -p "/out/$name"
  sent=$(packets)
  began=$(now)
  { "$@" </dev/null >"/out/$name/out" 2>"/out/$name/err"; echo $? >"/out/$name/code"; } 2>/dev/null &
}

ready() {
  await grep -qs ready "/out/$name/out"
}

# One process's number: of this name, on this machine or the other.
node_here() { # name
  await pidof "$1" >/dev/null
  pidof "$1"
}

node_on_two() { # name
  await on two pidof "$1" >/dev/null
  on two pidof "$1"
}

# What happens to the run; its end is counted from here.
blow() { # command...
  began=$(now)
  "$@" || failed "no blow: $*"
}

# Waits for its end, and for the end of all that belongs to it; in between the command `mend`, if there is one.
finish() { # seconds
  local code end
  end=$((began + $1 * 100))
  until [ -s "/out/$name/code" ] || [ "$(now)" -gt $end ]; do
    sleep 0.05
  done
  took=$(($(now) - began))
  code=none
  [ ! -s "/out/$name/code" ] || read -r code <"/out/$name/code"
  [ $code != none ] || show_where_they_are
  $mend
  mend=
  end=$(($(now) + 300))
  until [ -z "$(left_anywhere)" ] || [ $code = none ] || [ "$(now)" -gt $end ]; do
    sleep 0.1
  done
  left_anywhere
  end_all
  echo "ended $name $code $took $(($(packets) - sent))"
}

run() { # name seconds command...
  local seconds=$2
  local name=$1
  shift 2
  begin "$name" "$@"
  finish "$seconds"
}

left_anywhere() {
  /test/left | sed "s/^/left $name one /"
  [ -z "$two" ] || on two /test/left | sed "s/^/left $name two /"
}

end_all() {
  local pid
  /test/left | while read -r pid _; do kill -9 "$pid"; done
  [ -z "$two" ] || on two '/test/left | while read -r pid _; do kill -9 "$pid"; done'
}

show_where_they_are() {
  /test/left | while read -r pid _; do
    for task in "/proc/$pid/task"/*; do
      echo "$task $(cat "$task/comm") in $(cat "$task/wchan")" >>"/out/$name/hung"
    done
  done
}
