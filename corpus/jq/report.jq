# Text for a mail.
. as {a: $a, d: [$b, $c]} |
[
  "Dear \(.c | ascii_upcase), you have \($a + 1) of \($b // "no") items:",
  "all: \(.d | map(. + 1) | join(", ") )",
  "\(.f | map("- \(.a): \(if .a > 1 then "many" elif .a == 1 then "one" else "none" end)" ) )",
  @html "<b>\(.e.c | split(",") | last)</b>",
  @base64 "total \(reduce .d[] as $d (0; . + $d) )"
]
