// Forward pass with one directional light, shadow map and fog.

alias Color = vec3<f32>;

struct Camera {
    view_proj: mat4x4<f32>,
    eye: vec3<f32>,
};

struct VertexInput {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @builtin(instance_index) instance: u32,
};

struct VertexOutput {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) @interpolate(perspective, centroid) normal: vec3<f32>,
    @location(2) @interpolate(linear) uv: vec2<f32>,
    @location(3) @interpolate(flat) layer: u32,
};

@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<storage> models: array<mat4x4<f32>>;
@group(1) @binding(0) var albedo: texture_2d_array<f32>;
@group(1) @binding(1) var albedo_sampler: sampler;
@group(1) @binding(2) var shadow_map: texture_depth_2d;
@group(1) @binding(3) var shadow_sampler: sampler_comparison;
@group(1) @binding(4) var sky: texture_cube<f32>;

const LIGHT_DIR = vec3f(0.3, -0.8, 0.52);
const FOG: Color = Color(0.5, 0.6, 0.7);

@vertex
fn vs_main(in: VertexInput) -> VertexOutput {
    var out: VertexOutput;
    let world = models[in.instance] * vec4(in.position, 1.0);
    out.clip = camera.view_proj * world;
    out.world = world.xyz;
    out.normal = (models[in.instance] * vec4f(in.normal, 0.0)).xyz;
    out.uv = in.uv;
    out.layer = in.instance & 3u;
    return out;
}

fn shadow(pos: vec3f) -> f32 {
    var sum = 0.0;
    for (var y: i32 = -1; y <= 1; y++) {
        for (var x: i32 = -1; x <= 1; x++) {
            let offset = vec2f(f32(x), f32(y)) / 2048.;
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, pos.xy + offset, pos.z - 0.005);
        }
    }
    return sum / 9.0;
}

@must_use
fn fresnel(cos_theta: f32, f0: Color) -> Color {
    return f0 + (1.0 - f0) * pow(clamp(1.0 - cos_theta, 0.0, 1.0), 5.0);
}

@fragment
fn fs_main(in: VertexOutput, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let base = textureSample(albedo, albedo_sampler, in.uv, in.layer);
    let gradient = fwidth(in.uv.x);
    if base.a < 0.1 {
        discard;
    }
    let n = normalize(select(-in.normal, in.normal, front));
    let v = normalize(camera.eye - in.world);
    let h = normalize(v - LIGHT_DIR);
    let diffuse = max(dot(n, -LIGHT_DIR), 0.0);
    let mirror = textureSampleLevel(sky, albedo_sampler, reflect(-v, n), 2.0).rgb;

    var color = base.rgb * (0.1 + diffuse * shadow(in.world));
    color += fresnel(dot(h, v), vec3(0.04)) * mirror;

    switch in.layer {
        case 0u: { color *= 1.1; }
        case 1u, 2u, { color = color.bgr; }
        default { color.r = 1e-3f + gradient; }
    }

    let distance_to_eye = distance(camera.eye, in.world);
    let fog = 1.0 - exp(-distance_to_eye * 0x1p-4);
    return vec4f(mix(color, FOG, fog), base.a);
}
