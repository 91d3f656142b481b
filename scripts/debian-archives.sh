# Debian's source package of an LLVM release, shared by the scripts that need some of it. Sourced after lib.sh, never run.
#
# The machine's apt settings stay as they are: where they name no source packages, a private copy of its own list of mirrors is
# used, with sources in place of binaries. apt checks the mirror's signature and every file's checksum.

# Fills FOLDER/apt/sources with the distribution's list of mirrors, sources in place of binaries. Complains as apt-get does.
copy_source_lists() { # folder
  local found=() file
  mkdir -p "$1"/apt/{sources,lists/partial,cache/archives/partial}
  for file in /etc/apt/sources.list.d/{debian,ubuntu}.sources; do
    [[ -s $file ]] || continue
    sed 's/^Types:.*/Types: deb-src/' "$file" >"$1/apt/sources/${file##*/}"
    found+=("$file")
  done
  if [[ -s /etc/apt/sources.list ]]; then
    sed -n 's/^deb\([[:space:]]\)/deb-src\1/p' /etc/apt/sources.list >"$1/apt/sources/distribution.list"
    found+=(/etc/apt/sources.list)
  fi
  [[ ${#found[@]} -gt 0 ]] || { echo "E: found no list of mirrors under /etc/apt"; return 1; }
}

# What apt-get says goes to standard output and error; the archives come to the current folder.
run_apt_for_source() { # folder package
  local options=(-qq -o APT::Sandbox::User=root)
  if ! apt-get "${options[@]}" source --print-uris "$2" >/dev/null 2>&1; then
    copy_source_lists "$1" || return
    options+=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$1/apt/sources"
      -o "Dir::State::lists=$1/apt/lists" -o "Dir::Cache=$1/apt/cache")
    apt-get "${options[@]}" update --error-on=any || return
  fi
  apt-get "${options[@]}" source --download-only --only-source "$2"
}

# Downloads the package into FOLDER. An archive is there only when apt has checked all of it: one that was interrupted stays in
# FOLDER/incoming, where the next attempt continues it.
download_llvm_source() { # folder package
  local reason
  mkdir -p "$1/incoming"
  if ! (cd "$1/incoming" && run_apt_for_source "$1" "$2") >"$1/apt.log" 2>&1; then
    reason=$(sed -n 's/^E: *//p' "$1/apt.log" | head -n 1)
    fail "cannot get the source package $2 from this distribution's mirrors: ${reason:-see $1/apt.log}"
  fi
  mv "$1"/incoming/* "$1"
}

# Prints the path of the package's original source archive, if FOLDER has it.
find_llvm_archive() { # folder package
  find "$1" -maxdepth 1 -name "$2_*.orig.tar.xz" -size +1M | sort -V | tail -n 1
}

# Prints that path; what is not there is downloaded first (130 to 170 MB).
llvm_source_archive() { # folder package
  [[ -n $(find_llvm_archive "$1" "$2") ]] || download_llvm_source "$1" "$2"
  local archive
  archive=$(find_llvm_archive "$1" "$2")
  [[ -n $archive ]] || fail "apt-get brought no source archive of $2"
  echo "$archive"
}

# Unpacks what matches the patterns, of paths that begin with the archive's own folder; TARGET appears when it is complete.
unpack_llvm_source() { # archive target pattern...
  local archive=$1 target=$2
  shift 2
  rm -rf "$target.part"
  mkdir -p "$target.part"
  tar -xJf "$archive" -C "$target.part" --strip-components=1 --wildcards --anchored --no-wildcards-match-slash "$@"
  mv "$target.part" "$target"
}
