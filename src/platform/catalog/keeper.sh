#!/bin/sh
# Waits beside one Kenning process until that process ends, then gives its lease back and, when no other
# lease is alive, stops the embedded database. See lease.ts.
leases=$1
lease=$2
data=$3

trap '' HUP INT TERM

# Kept until we end, however that happens. Without flock(1) the process number alone has to do.
{ command exec 9>> "$leases/$lease" && flock 9; } 2> /dev/null

# When a process began; nothing for one that has ended.
birth() {
  if [ -d /proc/self ]; then
    { read -r line < "/proc/$1/stat"; } 2> /dev/null || return 0
    set -- ${line##*) }
    [ "$1" = Z ] || echo "${20}"
  else
    ps -o lstart= -p "$1" | tr -d ' :'
  fi
}

# Whether a process is the database server of our data folder.
serves() {
  if [ -d /proc/self ]; then
    tr '\0' '\n' < "/proc/$1/cmdline" 2> /dev/null | grep -qxF -e "$data"
  else
    ps -o args= -p "$1" | grep -qF -e " $data"
  fi
}

# Whether some keeper holds the lock on a lease: one of another container, whose process numbers mean nothing here.
held() {
  [ -e "$1" ] || return 1
  flock --nonblock "$1" true 2> /dev/null
  [ $? -eq 1 ]
}

# Whether any lease belongs to a living process; removes those that do not.
anyone() {
  for file in "$leases"/lease-*; do
    [ -e "$file" ] || continue
    name=${file##*/lease-}
    pid=${name%%-*}
    rest=${name#*-}
    [ "$(birth "$pid")" = "${rest%%-*}" ] && return 0
    held "$file" && return 0
    rm -f "$file"
  done
  return 1
}

stop_database() {
  { read -r server < "$data/postmaster.pid"; } 2> /dev/null || return 0
  serves "$server" || return 0
  kill -INT "$server"
  tries=0
  while serves "$server"; do
    tries=$((tries + 1))
    # After a minute without a clean end: stop at once; the next start recovers from the log.
    [ "$tries" -eq 3000 ] && kill -QUIT "$server"
    [ "$tries" -gt 3500 ] && return 1
    sleep 0.02
  done
}

# Nothing is ever written to this pipe; reading ends when the process does.
while read -r _; do :; done

rm -f "$leases/$lease"
flag="$leases/stop-$$-$(birth $$)"
: > "$flag"
anyone || stop_database
rm -f "$flag"
