// One of each: textures and samplers of all kinds, and the functions that read them.
diagnostic(warning, derivative_uniformity);

@group(0) @binding(0) var line: texture_1d<f32>;
@group(0) @binding(1) var<uniform> time: f32;
@group(0) @binding(2) var volume: texture_3d<i32>;
@group(0) @binding(3) var cubes: texture_cube_array<f32>;
@group(0) @binding(4) var depth_cube: texture_depth_cube;
@group(0) @binding(5) var depth_layers: texture_depth_2d_array;
@group(0) @binding(6) var depth_samples: texture_depth_multisampled_2d;
@group(0) @binding(7) var linear: sampler;
@group(0) @binding(8) var compare: sampler_comparison;
@group(1) @binding(0) var counts: texture_storage_2d<r32uint, read_write>;
@group(1) @binding(1) var rows: texture_storage_1d<rgba32float, write>;
@group(1) @binding(2) var stack: texture_storage_2d_array<rgba16sint, write>;
@group(1) @binding(3) var voxels: texture_storage_3d<rgba8unorm, read>;
@group(1) @binding(4) var<storage, read_write> cells: array<vec2<u32>>;

alias Matrix = mat2x2<f32>;

fn noise(p: vec3<f32>) -> f32 {
    let q = fract(sin(p * vec3<f32>(12.9898, 78.233, 37.719)) * 43758.5453);
    return mix(q.x, step(q.y, .5), q.z) + sign(q.x) * trunc(q.y) - ceil(q.z) + round(p.x);
}

fn bits(value: u32) -> u32 {
    var v = reverseBits(value) ^ countLeadingZeros(value);
    v = insertBits(v, firstLeadingBit(value), 4u, 3u) << (firstTrailingBit(value | 1u) & 7u);
    v = v + u32(dot4U8Packed(v, value)) - countTrailingZeros(v);
    return select(v, ~v, (v & 1u) != 0u || value >= 0x80000000u);
}

fn shapes(uv: vec2f) -> vec4f {
    let m = Matrix(cos(time), -sin(time), sin(time), cos(time));
    let p = m * (uv - vec2(0.5));
    let polar = vec2f(atan2(p.y, p.x), sqrt(dot(p, p)));
    let parts = modf(polar.x * 3.0);
    let scaled = frexp(polar.y);
    var color = vec4f(parts.fract, parts.whole, scaled.fract, f32(scaled.exp));
    color.a = determinant(m) * inverseSqrt(polar.y + 1e-5) + log2(2.0) * exp2(1.0) - degrees(radians(90.0));
    color = color / max(vec4f(1.0), abs(color)) % vec4f(0.75);
    if all(color == vec4f()) { return vec4f(refract(vec3f(0, 0, 1), normalize(vec3f(p, 1)), 0.9), 1); }
    color.x += tan(p.x) + asin(clamp(p.x, -1, 1)) + acos(0.5) + sinh(0.1) + cosh(0.1) + tanh(p.y) + ldexp(0.5, 2i);
    return faceForward(color, vec4f(0.0, 1.0, 0.0, 1.0), color) + fma(color, color, color);
}

@fragment
fn show(
    @builtin(position) at: vec4f,
    @builtin(sample_index) sample: u32,
    @location(0) uv: vec2f,
) -> @location(0) vec4f {
    let lod = textureNumLevels(cubes);
    let a = textureSampleLevel(cubes, linear, vec3f(uv, 1.0), 1, f32(lod));
    let b = textureSampleCompare(depth_cube, compare, vec3f(uv, 0.0), 0.5);
    let c = textureGatherCompare(depth_layers, compare, uv, 0u, 0.25);
    let d = textureLoad(depth_samples, vec2i(at.xy), i32(sample));
    let e = textureSample(line, linear, uv.x);
    let slope = abs(dpdx(uv.x)) + dpdyFine(uv.y) + fwidthCoarse(uv.x);
    return (a + c) * b + e * d + shapes(uv) * slope;
}

@compute @workgroup_size(8, 8)
fn fill(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
    let count = textureLoad(counts, id.xy).r;
    textureStore(counts, id.xy, vec4u(bits(count), 0u, 0u, 1u));
    textureStore(rows, id.x, vec4f(noise(vec3f(id))));
    textureStore(stack, id.xy, textureNumLayers(stack) - 1u, vec4i(textureLoad(volume, vec3i(id), 0)));
    let voxel = pack4x8snorm(textureLoad(voxels, id));
    cells[id.x] = vec2<u32>(voxel, pack2x16float(vec2f(0.5, 2.)));
    cells[id.y].y += pack2x16unorm(unpack2x16snorm(voxel)) | local.z;
    textureBarrier();
}
