/* Sums an array of numbers per workgroup,
 * and finds the histogram of the high bits. */

const WIDTH: u32 = 128;
const BINS = 1u << 4u;
const_assert(WIDTH % 32u == 0u);

struct Result { sum: i32, low: i32, high: i32, }

@group(0) @binding(0) var<storage, read> numbers: array<i32>;
@group(0) @binding(1) var<storage, read_write> results: array<Result, 256>;
@group(0) @binding(2) var<storage, read_write> histogram: array<atomic<u32>, BINS>;
@group(1) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;
@group(1) @binding(1) var source: texture_2d<u32>;

var<workgroup> partial: array<i32, WIDTH>;
var<workgroup> owner: atomic<u32>;

fn bin_of(n: i32) -> u32 {
    return extractBits(bitcast<u32>(n), 28u, 4u);
}

// Binary search for the first element that is not less than `wanted`.
fn lower_bound(wanted: i32) -> u32 {
    var low = 0u;
    var high = arrayLength(&numbers);
    loop {
        if low >= high { break; }
        let middle = low + (high - low) / 2u;
        if numbers[middle] < wanted {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

fn log2_floor(value: u32) -> u32 {
    var n = value;
    var count = 0u;
    loop {
        n >>= 1u;
        continuing {
            count++;
            break if n == 0u;
        }
    }
    return count;
}

fn collatz(start: u32) -> i32 {
    var n = start;
    var steps = 0i;
    while n > 1u && steps < 1000 {
        if (n & 1u) == 0u { n /= 2u; } else { n = 3u * n + 1u; }
        steps += 1;
    }
    return steps;
}

@compute @workgroup_size(WIDTH)
fn main(@builtin(local_invocation_index) lane: u32,
        @builtin(workgroup_id) group: vec3<u32>,
        @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(subgroup_size) wave: u32) {
    let at = group.x * WIDTH + lane;
    var value = 0;
    if at < arrayLength(&numbers) { value = numbers[at]; }
    partial[lane] = subgroupAdd(value);
    atomicAdd(&histogram[bin_of(value)], 1);
    workgroupBarrier();

    var stride = WIDTH >> 1;
    while stride > 0u {
        if lane < stride {
            let other = &partial[lane + stride];
            partial[lane] += *other;
        }
        workgroupBarrier();
        stride >>= 1u;
    }

    let swapped = atomicCompareExchangeWeak(&owner, 0u, lane + 1u);
    if swapped.exchanged || !(swapped.old_value != lane) {
        var r = Result(partial[0], min(value, ~0), max(value, -1));
        r.high = collatz(u32(abs(r.high)));
        r.low = i32(lower_bound(r.low) ^ log2_floor(wave | 1u));
        results[group.x & 0xffu] = r;
    }
    let size = textureDimensions(image);
    let texel = textureLoad(source, vec2(lane, group.y) % size, 0);
    textureStore(image, vec2(lane, group.y), unpack4x8unorm(texel.r));
    _ = groups.x * 2;
    storageBarrier();
}
