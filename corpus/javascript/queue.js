'use strict';
/* A queue of jobs: generators and async functions. */
let a = 0, b = -1, p, q, x, y, e = 0;
const o = { x: "job", y: 1e3, z: [] }, r = [1, 2, 3];

function f(p, q) {
  if (e++ > 9) return undefined;
  return (p, q);
}

{
  function* h(p, q = 3) {
    let x = r.length;
    yield p;
    for (let i = 0; i < 3; i++) {
      yield i * 2;
    }
    yield* [1, 2];
    return x;
  }
  const g = h(1);
  x = g.next().value;
  for (const x of g) {
    if (x > 2) break;
  }
}

{
  async function h(p) {
    await p;
    try {
      x = await a;
    } catch (k) {
      y = 1;
    } finally {
      await 0;
    }
    return await Promise.all([1, p]);
  }
  x = h(1).then((p)=> p);
  (async ()=> {
    x = await h();
  })();
}

{
  const h = new Promise((p, q)=> p(1));
  h.then(f);
  h.catch(p=> p);
}

{
  let n = 9007199254740993n;
  n += (2n ** 3n);
  n++;
  x = typeof n;
}

l: for (const i of [1, 2, 3]) {
  for (;;) {
    if (i === 2) continue l;
    break l;
  }
}
if (a) {
  a ??= 1;
} else {
  if (!b) {
    b **= 2;
  } else {
    a = a & 1;
  }
}
