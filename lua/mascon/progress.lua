---The bar that `progress = true` shows on stderr.
local core = require "mascon.core"

local WIDTH = 24    -- of the bar itself
local EVERY = 5     -- seconds between two lines where stderr is no terminal

-- 75 -> "1:15", 3675 -> "1:01:15"
local function clock(seconds)
  local s = math.floor(seconds + 0.5)
  local minutes = math.floor(s / 60)
  if minutes < 60 then return ("%d:%02d"):format(minutes, s % 60) end
  return ("%d:%02d:%02d"):format(math.floor(minutes / 60), minutes % 60, s % 60)
end

-- 1234567 -> "1.23M"
local function short(x)
  for _, unit in ipairs { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } } do
    if x >= unit[1] then return ("%.3g%s"):format(x / unit[1], unit[2]) end
  end
  return ("%.3g"):format(x)
end

---One state of a bar as text.
---
---    line(50, 200, 5)  --> " 25 % |######                  | 50 of 200  10/s  0:05, 0:15 left"
---
---@param done integer
---@param total integer
---@param elapsed number  seconds
---@return string
local function line(done, total, elapsed)
  local part = total > 0 and done / total or 1
  local full = math.floor(part * WIDTH)
  local rate = elapsed > 0 and done / elapsed or 0
  local left = done < total and rate > 0
    and (", %s left"):format(clock((total - done) / rate)) or ""
  return ("%3d %% |%s%s| %d of %d  %s/s  %s%s"):format(
    math.floor(part * 100), ("#"):rep(full), (" "):rep(WIDTH - full),
    done, total, short(rate), clock(elapsed), left)
end

---Make a bar: call it with how much is done, and with nothing to end it where
---the work was given up.
---
---On a terminal it is one line that changes; elsewhere a line every few
---seconds, and the last.
---
---@param delay? number  seconds in which nothing is written (0)
---@param write? fun(text: string)  default: to stderr; nothing in a state without it
---@param terminal? boolean  default: whether stderr is one
---@param now? fun(): number  seconds; default: `mascon.clock`
---@return fun(done: integer?, total: integer?)
local function bar(delay, write, terminal, now)
  if write == nil then
    local err = io and io.stderr
    if not err then return function() end end
    write = function(text) err:write(text) end
  end
  if terminal == nil then terminal = core.terminal "stderr" ~= nil end
  now = now or core.clock
  local began, written, open = now(), now(), false
  return function(done, total)
    if done == nil then
      if open then write "\n" end
      return
    end
    local t = now()
    local last = done == total
    if t - began < (delay or 0) then return end
    if terminal then
      write(("\r%s\27[K%s"):format(line(done, total, t - began),
                                   last and "\n" or ""))
      open = not last
    elseif last or t - written >= EVERY then
      write(line(done, total, t - began) .. "\n")
      written = t
    end
  end
end

return { bar = bar, line = line }
