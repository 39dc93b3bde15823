--[[
  Reads configuration files of the kind

      [section]
      key = value   ; comment

  and writes them back. Values are strings, numbers, or booleans.
]]
local source = [[
; settings of the server
[server]
host = example.org
port = 8080
debug = true
ratio = 0.25

[paths]
root = "/srv/www"
logs = "/var/log/\"www\""
]]

local function trim(s) return (s:gsub("^%s+", ""):gsub("%s+$", "")) end

local function value_of(text)
  if text == "true" then return true
  elseif text == "false" then return false
  end
  local quoted = text:match('^"(.*)"$')
  if quoted then return (quoted:gsub("\\(.)", "%1")) end
  return tonumber(text) or text
end

local function parse(text)
  local result, section = {}, nil
  local number = 0
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    line = trim(line)
    if line == "" or line:sub(1, 1) == ";" then goto continue end
    do
      local name = line:match("^%[([%w_]+)%]$")
      if name then
        section = result[name] or {}
        result[name] = section
        goto continue
      end
      local at = line:find("=", 1, true)
      local key, value = trim(line:sub(1, (at or 1) - 1)), trim(line:sub((at or 0) + 1))
      if not at then
        error(string.format("line %d: expected 'key = value', found %q", number, line))
      elseif section == nil then
        error("line " .. number .. ": key outside of a section")
      end
      section[key] = value_of(value)
    end
    ::continue::
  end
  return result
end

local function sorted_pairs(t)
  local keys = {}
  for k in pairs(t) do table.insert(keys, k) end
  table.sort(keys)
  local i = 0
  return function()
    i = i + 1
    if keys[i] ~= nil then return keys[i], t[keys[i]] end
  end
end

local function write(config)
  local lines = {}
  local function add(...) lines[#lines + 1] = string.format(...) end
  for name, section in sorted_pairs(config) do
    add("[%s]", name)
    for key, value in sorted_pairs(section) do
      local kind = type(value)
      if kind == 'string' then
        add('%s = "%s"', key, value:gsub('["\\]', '\\%0'))
      else
        add("%s = %s", key, tostring(value))
      end
    end
  end
  return table.concat(lines, '\n')
end

local config = parse(source)
assert(config.server.port == 8080 and config.server.debug)
assert(config.paths['logs'] == [[/var/log/"www"]])
assert(write(parse(write(config))) == write(config))
local ok, err = pcall(parse, "no section = 1")
assert(not ok, err)
