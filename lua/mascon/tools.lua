---The tools of the mascon program: `mascon NAME ...` runs `mascon.tools.NAME`.
---
---A tool is a module with `summary`, a line of text, and `run`, a function of the
---words behind its name, which ends early by `mascon.cli`.
local cli = require "mascon.cli"

local M = {}

local NAMES = { "gauss", "info", "recommend", "render" }

---What runs a tool: a function of its words that returns an exit status; nil where
---there is no tool of this name.
---@param name string
---@return (fun(...: string): integer)?
function M.find(name)
  for _, known in ipairs(NAMES) do
    if name == known then
      local run = require("mascon.tools." .. name).run
      return function(...) return cli.main("mascon " .. name, run, { ... }) end
    end
  end
end

---The tools, one a line.
---@return string
function M.list()
  local lines = {}
  for i, name in ipairs(NAMES) do
    lines[i] = ("  %-9s  %s\n"):format(name, require("mascon.tools." .. name).summary)
  end
  return table.concat(lines)
end

return M
