# The first number, and what the rest makes of it.
#
# $a is the sum, $b half of the length: their distance tells how far from
# the middle the numbers are. Numbers in every notation:
#
#   1e3, 2.5, -1, 127, 0.1
def k($a; $b): [$a, 1e3, 2.5, 127, 0.1] | add | $a - $b; k(.d | add; .d | length / 2) 
