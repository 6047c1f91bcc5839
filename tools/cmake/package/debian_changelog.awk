# SPDX-License-Identifier: Apache-2.0
# CHANGELOG.md as Debian's changelog: an entry of each version, an item of each paragraph.
#   awk -v package=tern -v maintainer='Name <mail>' -v now='RFC 5322 time' -f THIS CHANGELOG.md
# A heading "## 0.1.0 (2026-11-24)" says when the version was released; without a date it is being
# packed `now`.

function flush_item(   words, count, i, line, link) {
  if (item == "") return
  gsub(/\*\*|`/, "", item)
  # Of a link its text remains.
  while (match(item, /\[[^]]*\]\([^)]*\)/)) {
    link = substr(item, RSTART + 1, RLENGTH - 2)
    item = substr(item, 1, RSTART - 1) substr(link, 1, index(link, "](") - 1) \
      substr(item, RSTART + RLENGTH)
  }
  count = split(item, words, " ")
  line = "  *"
  for (i = 1; i <= count; ++i) {
    if (length(line) + 1 + length(words[i]) > 79) {
      print line
      line = "   "
    }
    line = line " " words[i]
  }
  print line
  item = ""
}

# Zeller's congruence, which counts January and February to the year before.
function release_time(date,   year, month, day, weekdays, months, shifted, in_century, weekday) {
  year = substr(date, 2, 4) + 0
  month = substr(date, 7, 2) + 0
  day = substr(date, 10, 2) + 0
  split("Sat Sun Mon Tue Wed Thu Fri", weekdays, " ")
  split("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", months, " ")
  shifted = month < 3 ? month + 12 : month
  year -= month < 3
  in_century = year % 100
  weekday = (day + int(13 * (shifted + 1) / 5) + in_century + int(in_century / 4) + \
    int(int(year / 100) / 4) + 5 * int(year / 100)) % 7
  return sprintf("%s, %02d %s %d 12:00:00 +0000", weekdays[weekday + 1], day, months[month],
                 year + (month < 3))
}

function end_entry() {
  flush_item()
  if (version != "") printf "\n -- %s  %s\n\n", maintainer, time
}

/^## / {
  end_entry()
  version = $2
  time = $3 ~ /^\([0-9]+-[0-9]+-[0-9]+\)$/ ? release_time($3) : now
  printf "%s (%s) unstable; urgency=medium\n\n", package, version
  next
}
version == "" {next}
/^$/ {flush_item(); next}
/^- / {
  flush_item()
  item = substr($0, 3)
  next
}
{item = item " " $0}
END {end_entry()}
