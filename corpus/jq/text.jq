# Strings and patterns
[.c, .e.c, "2024-02-29T12:34:56Z", "caf\u00e9 \t \"x\""] |
[
  [limit(3; .[]) ],
  (.[0] | test("^[a-c]+$"; "i") ) ,
  (.[2] | fromdate | todate) ,
  (.[1] | sub("(?<l>[a-z]),"; "\(.l)-"; "g") ) ,
  [foreach range(0; 5) as $d (0; . + $d; if . > 3 then . else empty end) ],
  (.[3] | explode | implode | ltrimstr("caf") | @json) ,
  (map(ascii_downcase | length) | add / length) ,
  [.[0] | scan("[a-z]") ],
  (.[1] | capture("(?<x>[a-z]),(?<y>.)") | .x?) ,
  .[0]
] |
label $l | try . catch "bad"
