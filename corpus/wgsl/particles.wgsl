// Particle simulation: one invocation integrates one particle.
// Adapted to a fixed time step; forces come from a small list of attractors.

enable f16;
requires pointer_composite_access;
diagnostic(off, derivative_uniformity);

struct Particle {
    position: vec2f,
    velocity: vec2f,
    @align(16) color: vec4<f32>,
    @size(16) age: f32,
}

struct Params {
    delta_t: f32,
    damping: f32,
    count: u32,
    attractors: array<vec4f, 4>,
}

const MAX_SPEED: f32 = 12.5;
const TAU = 6.2831853;
const_assert MAX_SPEED > 1.0;

override gravity: f32 = 9.81;
@id(7) override soft: bool = true;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<Particle>;
@group(0) @binding(2) var<storage, read_write> target_particles: array<Particle>;
@group(0) @binding(3) var<storage, read_write> alive: atomic<u32>;

var<workgroup> shared_age: array<f32, 64>;
var<private> seed: u32 = 0x9E3779B9u;

/* xorshift, good enough for jitter
   /* nested comments are allowed */
*/
fn next_random() -> f32 {
    seed ^= seed << 13u;
    seed ^= seed >> 17u;
    seed ^= seed << 5u;
    return f32(seed & 0xFFFFu) / 65536.0;
}

fn limit(v: vec2f, limit_at: f32) -> vec2f {
    let len = length(v);
    if len > limit_at {
        return v * (limit_at / len);
    }
    return v;
}

fn attract(p: ptr<function, vec2f>, at: vec2f) {
    var force = vec2f();
    for (var i = 0; i < 4; i++) {
        let a = params.attractors[i];
        let d = a.xy - at;
        let r2 = max(dot(d, d), 0.01);
        if soft && r2 > 100.0 {
            continue;
        }
        force += normalize(d) * a.z / r2;
    }
    *p = *p + force * gravity;
}

@compute @workgroup_size(64, 1, 1)
fn simulate(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let index = id.x;
    let total = min(params.count, arrayLength(&source));
    seed = seed + index * 747796405u;

    var p: Particle;
    if index < total {
        p = source[index];
    }
    var v = p.velocity;
    attract(&v, p.position);
    v = limit(v * (1.0 - params.damping), MAX_SPEED);
    p.position += v * params.delta_t;
    p.velocity = v;
    p.age -= params.delta_t;

    // Halves are enough for a tint.
    let tint: vec3h = vec3h(0.5h, 1.0h, f16(p.age));
    p.color = vec4f(vec3f(tint), 1.0);

    shared_age[local] = p.age;
    workgroupBarrier();

    if (p.age <= 0.0) {
        p.age = next_random() * TAU;
    } else if (shared_age[(local + 1u) % 64u] > p.age) {
        p.age *= 0.99;
    } else {
        atomicAdd(&alive, 1u);
    }
    if index < arrayLength(&target_particles) {
        target_particles[index] = p;
    }
}
