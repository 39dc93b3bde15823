;; Arithmetic helpers: factorial, greatest common divisor, a small table of powers.
(module $math
  (import "env" "log" (func $log (param i32)))
  (type $t (func (param i32 i32) (result i32)))
  (memory $m (export "memory") 1 2)
  (global $g (mut i32) (i32.const 0))
  (global $h i64 (i64.const 0x1_0000_0000))
  (table $t 2 funcref)
  (elem (i32.const 0) $gcd $add)

  (; Euclid's algorithm,
     with a loop ;)
  (func $gcd (type $t) (param $a i32) (param $b i32) (result i32)
    (local $c i32)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $b)))
        (local.set $c (i32.rem_u (local.get $a) (local.get $b)))
        (local.set $a (local.get $b))
        (local.set $b (local.get $c))
        (br $next)))
    (local.get $a))

  (func $add (type $t)
    local.get 0
    local.get 1
    i32.add)

  (func $factorial (export "factorial") (param $n i64) (result i64)
    (if (result i64) (i64.lt_s (local.get $n) (i64.const 2))
      (then (i64.const 1))
      (else
        (i64.mul (local.get $n)
          (call $factorial (i64.sub (local.get $n) (i64.const 1)))))))

  (func (export "mean") (param f64 f64) (result f64)
    (f64.div (f64.add (local.get 0) (local.get 1)) (f64.const 2.0)))

  (func $apply (param $i i32) (result i32)
    (call $log (local.get $i))
    (call_indirect $t (type $t) (i32.const 12) (i32.const -18) (i32.and (local.get $i) (i32.const 1))))
  (export "apply" (func $apply))
)
