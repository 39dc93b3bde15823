-- Cooperative tasks over coroutines, with a to-be-closed resource and error handling.

local Scheduler = { ready = {}, log = {} }

function Scheduler:spawn(name, f, ...)
  local args = table.pack(...)
  local co = coroutine.create(function() return f(table.unpack(args, 1, args.n)) end)
  self.ready[#self.ready + 1] = { name = name, co = co }
end

function Scheduler:run()
  local rounds = 0
  while #self.ready > 0 and rounds < 1000 do
    local task = table.remove(self.ready, 1)
    local ok, what = coroutine.resume(task.co)
    if not ok then
      self.log[#self.log + 1] = task.name .. " failed: " .. tostring(what)
      coroutine.close(task.co)
    elseif coroutine.status(task.co) == "suspended" then
      table.insert(self.ready, task)
    else
      self.log[#self.log + 1] = task.name .. " is done"
    end
    rounds = rounds + 1
  end
end

local open = 0
local function resource(name)
  open = open + 1
  return setmetatable({ name = name }, { __close = function(_, e) open = open - 1 end })
end

Scheduler:spawn("counter", function(from, to)
  local r <close> = resource "counter"
  for i = from, to do
    coroutine.yield(i)
  end
end, 1, 3)

Scheduler:spawn("careless", function()
  local r <close> = resource 'careless'
  coroutine.yield()
  error({ code = 42; "with a table", [true] = 0x2A, })
end)

Scheduler:spawn("nothing", function(...) return select('#', ...) end, nil, nil)
Scheduler:run()
assert(open == 0)
assert(#Scheduler.log == 3, table.concat(Scheduler.log, "; "))

-- Generators
local function permutations(list)
  local function permute(a, n)
    if n <= 1 then
      coroutine.yield(table.concat(a, " "))
    else
      for i = 1, n do
        a[n], a[i] = a[i], a[n]
        permute(a, n - 1)
        a[n], a[i] = a[i], a[n]
      end
    end
  end
  return coroutine.wrap(function() permute(list, #list) end)
end

local seen, count = {}, 0
for p in permutations { "x", "y", "z" } do
  assert(not seen[p]); seen[p] = true
  count = count + 1
end
assert(count == 6)

local memo = setmetatable({ [0] = 0, 1 }, { __mode = "k", __index = function(t, n)
  local v = t[n - 1] + t[n - 2]
  rawset(t, n, v)
  return v
end })
assert(memo[50] == 12586269025)

local words = { "\u{48}i", '\x41\66\z
  C', "tab\t\"quoted\"\\", [==[ ]] ]==] }
for i, c in utf8.codes("aé€") do words[#words + 1] = utf8.char(c) .. i end
local result = xpcall(function() local x = nil; return x.field end, function(m) return "handled: " .. m end)
do goto finish; print "never" ::finish:: end
local chunk = assert(load("local a, b = ...; return a ^ b"))
assert(chunk(2, 5) == 32 and not result)
return #words > 4 and true or nil, count;
