;; Conversions and bit tricks, by hand and with SIMD; tables and bulk operations.
(module
  (memory $m 2)
  (table $t (export "table") 4 8 funcref)
  (global $g (mut i64) (i64.const -1))
  (func $popcount (param $i i32) (result i32) (i32.popcnt (local.get $i)))
  (func $rotate (export "rotate") (param $l i64) (param $i i32) (result i64)
    local.get $l
    local.get $i
    i64.extend_i32_u
    i64.rotl
    local.tee $l
    i64.clz
    local.get $l
    i64.ctz
    i64.xor
    i64.const 0x7fff
    i64.or
    global.get $g
    i64.shr_u)
  (elem $e func $popcount $rotate)
  (func (export "table_ops") (param $i i32)
    (table.init $t $e (i32.const 0) (i32.const 0) (i32.const 2))
    (table.set $t (i32.const 2) (ref.func $popcount))
    (drop (table.grow $t (ref.null func) (i32.const 1)))
    (drop (ref.is_null (table.get $t (i32.const 3))))
    (table.copy $t $t (i32.const 1) (i32.const 0) (i32.const 1))
    (elem.drop $e)
    (global.set $g (i64.extend32_s (i64.const 7))))
  (func (export "widths") (param $x f32) (param $y f64) (result i64)
    (i64.store offset=8 (i32.const 0) (i64.trunc_f64_s (f64.floor (local.get $y))))
    (f32.store (i32.const 16) (f32.min (f32.demote_f64 (local.get $y)) (f32.convert_i32_u (i32.const 3))))
    (i64.store16 (i32.const 24) (i64.load32_s (i32.const 8)))
    (f64.store (i32.const 32) (f64.copysign (f64.ceil (f64.neg (local.get $y))) (f64.nearest (f64.const -inf))))
    (i64.add (i64.load8_u (i32.const 16))
      (i64.extend_i32_s (i32.extend8_s (i32.reinterpret_f32 (f32.trunc (local.get $x)))))))
  (func (export "compare") (param $i i32) (param $l i64) (result i32)
    (i32.or
      (i32.xor (i32.ne (local.get $i) (i32.shl (i32.const 1) (i32.const 4))) (i64.gt_u (local.get $l) (i64.const 5)))
      (i32.and (f64.le (f64.const 0x1p-3) (f64.convert_i64_s (local.get $l))) (f32.ge (f32.const inf) (f32.const 1e10)))))
  (func (export "lanes") (param $v v128) (result i32)
    (v128.store (i32.const 64) (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (local.get $v) (v128.const i32x4 1 2 3 4)))
    (local.set $v (i32x4.mul (v128.load (i32.const 64)) (i32x4.splat (i32.const 3))))
    (i32.add (i32x4.extract_lane 2 (local.get $v)) (i8x16.bitmask (v128.and (local.get $v) (i16x8.max_s (local.get $v) (local.get $v))))))
)
