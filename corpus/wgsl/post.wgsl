// Tone mapping and a cheap blur; one triangle that covers the screen.

struct Out { @builtin(position) at: vec4f, @location(0) uv: vec2f }

@group(0) @binding(0) var screen : texture_2d<f32>;
@group(0) @binding(1) var point_sampler : sampler;
@group(0) @binding(2) var lut : texture_3d<f32>;
@group(0) @binding(3) var samples : texture_multisampled_2d<f32>;

override exposure = 1.0;
override kernel : u32;

const weights = array(0.227, 0.1945, 0.1216, 0.054);
const aces = mat3x3f(
  0.59719, 0.35458, 0.04823,
  0.07600, 0.90834, 0.01566,
  0.02840, 0.13383, 0.83777,
);
const corners : array<vec2<f32>, 3> = array<vec2<f32>, 3>(vec2f(-1, -1), vec2f(3, -1), vec2f(-1, 3));

@vertex fn full(@builtin(vertex_index) i : u32) -> Out {
  var corner = corners;
  let p = corner[i % 3];
  return Out(vec4f(p, 0, 1), p * vec2f(.5, -.5) + .5);
}

fn luminance(c : vec3f) -> f32 { return dot(c, vec3f(0.2126, 0.7152, 0.0722)); }

fn tone_map(color : vec3f) -> vec3f {
  let c = transpose(aces) * color;
  let a = c * (c + 0.0245786) - 0.000090537;
  let b = c * (0.983729 * c + 0.4329510) + 0.238081;
  return saturate(a / b);
}

fn average(at : vec2i) -> vec4f {
  const count = 4;
  var sum : vec4f;
  for (var s = 0; s < count; s += 1) {
    sum += textureLoad(samples, at, s);
  }
  return sum / f32(count);
}

fn blur(uv : vec2f, step_size : vec2f) -> vec4f {
  var sum = textureSampleLevel(screen, point_sampler, uv, 0.0) * weights[0];
  var i = 1u;
  loop {
    if (i >= min(kernel, 4u)) { break; }
    let w = array(0.227, 0.1945, 0.1216, 0.054)[i];
    sum += textureSampleLevel(screen, point_sampler, uv + step_size * f32(i), 0.0) * w;
    sum += textureSampleLevel(screen, point_sampler, uv - step_size * f32(i), 0.0) * w;
    continuing { i++; }
  }
  return sum;
}

@fragment fn compose(in : Out) -> @location(0) vec4f {
  let size = vec2f(textureDimensions(screen, 0));
  let rough = blur(in.uv, vec2f(1.0 / size.x, 0.0));
  let fine = average(vec2i(floor(in.at.xy)));
  let gathered = textureGather(0, screen, point_sampler, in.uv);
  var color = tone_map(mix(rough, fine, 0.5).rgb * exposure);

  /* vignette */ {
    let d = in.uv - 0.5;
    color *= smoothstep(0.8, 0.2, length(d));
  }
  color[2] += fract(gathered.w) * 1.0e-4;
  let graded = textureSampleLevel(lut, point_sampler, color, 0.).xyz;
  let dark = luminance(color) < 0.01;
  if any(graded != color) && !dark {
    color = graded;
  }
  let packed = pack4x8unorm(vec4f(color, 1.0f));
  if dark { return unpack4x8unorm(packed & 0x00FFFFFF); }
  else if countOneBits(packed) == 32u { return vec4f(1f); }
  return vec4f(color, 1);
}
