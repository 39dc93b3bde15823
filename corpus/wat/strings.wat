(module
  (memory $m 1)
  (data $d (i32.const 16) "Hello, \"world\"\n" "\00\ff caf\c3\a9")
  (data $e "passive")
  (export "memory" (memory $m))

  ;; The length of a string that ends with a zero.
  (func $strlen (param $p i32) (result i32)
    (local $n i32)
    loop $again
      local.get $p
      local.get $n
      i32.add
      i32.load8_u offset=16 align=1
      if
        local.get $n
        i32.const 1
        i32.add
        local.set $n
        br $again
      end
    end
    local.get $n)

  (func (export "upper") (param $p i32) (param $end i32)
    (local $c i32)
    (block $out
      (loop $top
        (br_if $out (i32.ge_u (local.get $p) (local.get $end)))
        (local.set $c (i32.load8_u (local.get $p)))
        (if (i32.and (i32.ge_u (local.get $c) (i32.const 97)) (i32.le_u (local.get $c) (i32.const 122)))
          (then (i32.store8 (local.get $p) (i32.sub (local.get $c) (i32.const 0x20)))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $top))))

  (func (export "fill")
    (memory.fill (i32.const 0) (i32.const 255) (i32.const 64))
    (memory.init $e (i32.const 1) (i32.const 0) (i32.const 7))
    (data.drop $e)
    (memory.copy (i32.const 8) (i32.const 0) (i32.const 8))
    (drop (memory.grow (i32.const 1)))
    nop
    (drop (memory.size)))

  (func (export "class") (param i32) (result i32)
    (block $b
      (block $c
        (block $d
          (br_table $d $c $b (local.get 0)))
        (return (i32.const 10)))
      (return (i32.const 20)))
    (select (i32.const 1) (i32.const 2) (i32.eqz (local.get 0))))
)
