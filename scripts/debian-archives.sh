# What Debian's mirrors have, got without installing it; shared by the scripts that need sources of LLVM and gcc, or programs
# that nobody has to have installed. Sourced after lib.sh, never run.
#
# The machine's apt settings stay as they are: where they do not know the package, a private copy of its own list of mirrors is
# used, with sources in place of binaries if sources are wanted. apt checks the mirror's signature and every file's checksum.

# Fills FOLDER/apt/sources with the distribution's list of mirrors, for deb or deb-src. Complains as apt-get does.
copy_source_lists() { # folder type
  local found=() file
  mkdir -p "$1"/apt/{sources,lists/partial,cache/archives/partial}
  for file in /etc/apt/sources.list.d/{debian,ubuntu}.sources; do
    [[ -s $file ]] || continue
    sed "s/^Types:.*/Types: $2/" "$file" >"$1/apt/sources/${file##*/}"
    found+=("$file")
  done
  if [[ -s /etc/apt/sources.list ]]; then
    sed -n "s/^deb\([[:space:]]\)/$2\1/p" /etc/apt/sources.list >"$1/apt/sources/distribution.list"
    found+=(/etc/apt/sources.list)
  fi
  [[ ${#found[@]} -gt 0 ]] || { echo "E: found no list of mirrors under /etc/apt"; return 1; }
}

# Adds to the caller's `options` of apt-get those by which it uses a list of mirrors of FOLDER's, and gets what they have now.
use_own_lists() { # folder type
  copy_source_lists "$1" "$2" || return
  options+=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$1/apt/sources"
    -o "Dir::State::lists=$1/apt/lists" -o "Dir::Cache=$1/apt/cache")
  apt-get "${options[@]}" update --error-on=any
}

# What apt-get says goes to standard output and error; the archives come to the current folder.
run_apt() { # folder package type
  local options=(-qq -o APT::Sandbox::User=root) words=(download)
  [[ $3 = deb ]] || words=(source --download-only --only-source)
  if ! apt-get "${options[@]}" "${words[0]}" --print-uris "$2" >/dev/null 2>&1; then
    use_own_lists "$1" "$3" || return
  fi
  apt-get "${options[@]}" "${words[@]}" "$2"
}

# Downloads the packages and all that they depend on, as for a system where nothing is installed, into FOLDER/archives. Needs no root.
download_with_dependencies() { # folder package...
  local folder reason
  folder=$(realpath -m "$1")
  shift
  mkdir -p "$folder/archives/partial"
  : >"$folder/status"
  if ! {
    local options=(-qq -o APT::Sandbox::User=root -o Debug::NoLocking=1 -o "Dir::State::status=$folder/status")
    local words=(-y --no-install-recommends -o "Dir::Cache::archives=$folder/archives" --download-only install "$@")
    apt-get "${options[@]}" "${words[@]}" || { use_own_lists "$folder" deb && apt-get "${options[@]}" "${words[@]}"; }
  } >"$folder/apt.log" 2>&1; then
    reason=$(sed -n 's/^E: *//p' "$folder/apt.log" | tail -n 1)
    fail "cannot get packages from this distribution's mirrors: ${reason:-see $folder/apt.log}"
  fi
}

# Downloads the package into FOLDER. An archive is there only when apt has checked all of it: one that was interrupted stays in
# FOLDER/incoming, where the next attempt continues it.
download_package() { # folder package type (deb or deb-src)
  local reason
  mkdir -p "$1/incoming"
  if ! (cd "$1/incoming" && run_apt "$1" "$2" "$3") >"$1/apt.log" 2>&1; then
    reason=$(sed -n 's/^E: *//p' "$1/apt.log" | head -n 1)
    fail "cannot get the package $2 from this distribution's mirrors: ${reason:-see $1/apt.log}"
  fi
  mv "$1"/incoming/* "$1"
}

# Prints the path of the package's archive in FOLDER, the newest whose name matches; what is not there is downloaded first.
package_archive() { # folder package type pattern
  local archive
  find_archive() { find "$1" -maxdepth 1 -name "$2" -size +1M | sort -V | tail -n 1; }
  archive=$(find_archive "$1" "$4")
  if [[ -z $archive ]]; then
    download_package "$1" "$2" "$3"
    archive=$(find_archive "$1" "$4")
  fi
  [[ -n $archive ]] || fail "apt-get brought no archive of $2"
  echo "$archive"
}

# The original source archive of an LLVM release (130 to 170 MB).
llvm_source_archive() { # folder package
  package_archive "$1" "$2" deb-src "$2_*.orig.tar.xz"
}

# Unpacks what matches the patterns, of paths that begin with the archive's own folder; TARGET appears when it is complete.
unpack_source() { # archive (- for standard input) target pattern...
  local archive=$1 target=$2
  shift 2
  rm -rf "$target.part"
  mkdir -p "$target.part"
  tar -xJf "$archive" -C "$target.part" --strip-components=1 --wildcards --anchored --no-wildcards-match-slash "$@"
  mv "$target.part" "$target"
}
