#!/usr/bin/env node
"use strict";
/* Shapes: classes, getters, private names. */
let a = 1, b = "circle", p, q, x, y, e = 0;
const o = { x: 10, y: 20, "z": null, 1: [1, 2] }, r = [3, 1, 2];

function f(p, q = "none") {
  if (e++ > 9) return q;
  return `${p}: ${q}`;
}

{
  class C {
    #p = 1;
    #m(p) {
      return p;
    }
    get #g() {
      return 3;
    }
    m(p) {
      this.#p = 2;
      return this.#m(1);
    }
    get g() {
      return this.#p;
    }
    static n() {
      return 1;
    }
  }
  a = new C(1, 2);
}

{
  class C extends Map {
    constructor(p, q) {
      super();
      this.x = 2;
    }
    static x = 0;
    y = [1];
    set g(p) {
      x = p;
    }
  }
  const t = new C(1);
  t.m?.(2);
  x = t instanceof C;
}

for (const x of r) {
  if (x === 2) continue;
  y = Math.max(x, 10);
}

for (let i = 0; i < 3; i++) {
  r.push(i * 2);
}

switch (b) {
  case "circle":
    a = 3.14e1;
    break;
  default:
    a = 0;
}

try {
  throw new RangeError("no radius");
} catch ({ message: k }) {
  x = "caught";
} finally {
  y = null;
}

// A summary
x = Math.max(...r);
r.forEach((p)=> p * 2);
f(0xff, "area");
