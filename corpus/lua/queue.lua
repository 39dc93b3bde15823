--- A double-ended queue and a priority queue.
-- Both are classes in the usual style: a table of methods that is its own `__index`.

local Deque = {}
Deque.__index = Deque

function Deque.new()
  return setmetatable({ first = 0, last = -1 }, Deque)
end

function Deque:push_left(value)
  self.first = self.first - 1
  self[self.first] = value
  return self
end

function Deque:push_right(value)
  self.last = self.last + 1
  self[self.last] = value
  return self
end

function Deque:pop_left()
  if self.first > self.last then
    error("deque is empty", 2)
  end
  local value = self[self.first]
  self[self.first] = nil -- let it be collected
  self.first = self.first + 1
  return value
end

function Deque:__len() return self.last - self.first + 1 end

local Heap = setmetatable({}, { __call = function(class, less)
  return setmetatable({ less = less or function(a, b) return a < b end, n = 0 }, class)
end })
Heap.__index = Heap

function Heap:push(x)
  local i = self.n + 1
  self.n, self[i] = i, x
  while i > 1 do
    local parent = i // 2
    if not self.less(self[i], self[parent]) then break end
    self[i], self[parent] = self[parent], self[i]
    i = parent
  end
end

function Heap:pop()
  if self.n == 0 then return nil end
  local top = self[1]
  self[1], self[self.n] = self[self.n], nil
  self.n = self.n - 1
  local i = 1
  repeat
    local least, left, right = i, 2 * i, 2 * i + 1
    if left <= self.n and self.less(self[left], self[least]) then least = left end
    if right <= self.n and self.less(self[right], self[least]) then least = right end
    local done = least == i
    self[i], self[least] = self[least], self[i]
    i = least
  until done
  return top
end

local q = Deque.new()
q:push_right("b"):push_right("c"):push_left("a")
assert(#q == 3)
assert(q:pop_left() == "a" and q:pop_left() == "b")

local h = Heap(function(a, b) return a.due < b.due end)
for i, name in ipairs { "write", "read", "sleep" } do
  h:push({ due = (i * 7) % 5, name = name })
end
local names = {}
while true do
  local job = h:pop()
  if job == nil then break end
  names[#names + 1] = job.name
end
assert(table.concat(names, ",") == "sleep,write,read", table.concat(names, ","))

local ok, message = pcall(Deque.pop_left, Deque.new())
print(ok, message)
return { Deque = Deque, Heap = Heap }
