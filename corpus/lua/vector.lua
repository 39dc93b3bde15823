-- Vectors, integers and bits: what operators can be made to do.
local V <const> = {}
local mt = { __index = V, __name = "vector" }

local function vec(x, y, z) return setmetatable({ x or 0, y or 0, z or 0 }, mt) end

mt.__add = function(a, b) return vec(a[1] + b[1], a[2] + b[2], a[3] + b[3]) end
mt.__sub = function(a, b) return a + -b end
mt.__unm = function(a) return vec(-a[1], -a[2], -a[3]) end
mt.__mul = function(a, b)
  if type(a) == "number" then a, b = b, a end
  if type(b) == "number" then return vec(a[1] * b, a[2] * b, a[3] * b) end
  return a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
end
mt.__eq = function(a, b) return a[1] == b[1] and a[2] == b[2] and a[3] == b[3] end
mt.__lt = function(a, b) return a:length() < b:length() end
mt.__le = function(a, b) return not (b < a) end
mt.__tostring = function(a) return ("(%g, %g, %g)"):format(table.unpack(a)) end
mt.__concat = function(a, b) return tostring(a) .. tostring(b) end

function V:length() return math.sqrt(self * self) end
function V:normalized()
  local n = self:length()
  return n > 0 and self * (1 / n) or vec()
end

local up, right = vec(0, 1), vec(1)
assert(up + right == vec(1, 1, 0) and up * right == 0)
assert(up <= 2 * right and up ~= right)
assert(tostring(up - right) == "(-1, 1, 0)")
assert(math.abs(vec(3, 4, 12):normalized():length() - 1) < 1e-9)

-- Checksums: Adler-32 and a CRC with a table that is made once.
local function adler32(s)
  local a, b = 1, 0
  for i = 1, #s do
    a = (a + s:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b << 16 | a
end

local crc_table = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do
    c = (c & 1 == 1) and (0xEDB88320 ~ (c >> 1)) or (c >> 1)
  end
  crc_table[i] = c
end
local function crc32(s)
  local c = 0xffffffff
  for _, byte in ipairs({ s:byte(1, -1) }) do
    c = crc_table[(c ~ byte) & 0xFF] ~ (c >> 8)
  end
  return ~c & 0xFFFFFFFF
end

assert(adler32("Wikipedia") == 0x11E60398)
assert(crc32("123456789") == 0xCBF43926)
assert(7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 2^10 == 1024.0)
assert(math.type(3) == "integer" and math.type(3.0) == "float" and 1 < 1.5)
assert(0x.8p1 == 1 and 1e2 == 100 and .5 + 3. == 3.5)
assert(math.maxinteger + 1 == math.mininteger and math.ult(1, -1))
for x = 1.0, 0, -0.25 do assert(x >= 0) end
