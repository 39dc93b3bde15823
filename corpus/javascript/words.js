// Counts words, finds the longest, and makes a table.
var a = 0, b = "the quick brown fox", p, q, x, y, e = 0;
const o = { x: 1, y: [true, false], "z": null }, r = ["the", "fox", "the"];

function f(...p) {
  if (e++ > 9) return null;
  a += 1;
  return p.length ?? 0;
}

{
  const s = new Map([["the", 1], ["fox", 2]]);
  s.set("dog", 3);
  x = s.get("the");
  for (const [x, y] of s) {
    if (y > 1) break;
    if (x === "the") a = 1;
  }
  s.forEach(f);
}

{
  const e = /^[a-z]+(\d{2}|x)$/gi;
  x = e.test("fox 12");
  x = "a,b;c".split(e);
  e.lastIndex = 0;
}

{
  const s = new Set(r);
  s.add("lazy");
  x = s.size;
}

b = "Quick".toUpperCase();
x = "padded".padStart(20,"-");
y = r.filter((p)=> p !== "the").length;
o["longest"] = typeof b;
[a, b = 2] = r;
[a, b] = [1, 2, 3];
for (const x in o) {
  y = o?.x?.y;
}
while (a < 3) {
  a++;
  break;
}
do {
  a -= 1;
  break;
} while (a > 0);
x = delete o.y;
x = [..."abc", ...r].join("|");
y = JSON.stringify([0.5, "two", null], null, 2);
