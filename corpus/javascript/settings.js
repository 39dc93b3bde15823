"use strict";
// Reads settings of many shapes, checks them, and keeps what is new.
let a = 10, b = "medium", p, q, x, y, e = 0;
const o = { x: "width", y: 0x1F, z: [1, 2, [3]], "long name": true, 7: null, n: 1_000 }, r = ["a", 2, "c", 0.25];

function f(p, q = 1) {
  if (e++ > 9) return p;
  if (q) return typeof q;
  return p;
}

// Destructuring, defaults and the rest
{
  const [x, ...y] = r;
  a = x;
}
{
  const { x, ...y } = o;
  b = x;
}
for (const [x, y = 2] of Object.entries(o)) {
  if (y === null) continue;
  if (x === "z") break;
}

/* Numbers and their texts */
x = (255).toString(16);
x = parseInt("12px", 10);
y = Number.isInteger(a) || isNaN(b);
x = (0.1).toFixed(2);
y = Math.hypot(3, 4) >>> 1;
a = ~a & 0b1010 | 0o17;

// Strings
x = `${a} of ${b}: ${typeof o}`;
y = String.raw`\n`;

// Dates
x = new Date(2024, 1, 9);
y = new Date("2024-02-29T12:30:00Z").getTime();

switch (typeof a) {
  case "number":
  case "bigint":
    b = "numeric";
    break;
  case "string":
    b = b ?? "none";
  default:
    y = void 0;
}

{
  const t = new Uint8Array(4);
  t[0] = 300;
  t[1]++;
  x = t.length;
  for (const x of t) {
    if (x) continue;
  }
}
{
  const s = Symbol("key");
  o[Symbol("hidden")] = 1;
  x = s.description;
}
try {
  o.m();
} catch {
  x = "no such method";
}
do {
  if (a instanceof Object) break;
  a--;
  break;
} while (a in o);
Object.freeze([o]);
