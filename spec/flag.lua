-- flag.lua - a flag that threads raise and look at, without a race: a token
--
-- For states of their own: what is passed to a worker is flag.new(), and there
-- it is raised, waited for or looked at by this module, or by what these do.

local mascon = require "mascon"

local M = {}

function M.new()
  return mascon.share(mascon.zeros(1), 1e9)
end

M.raise = mascon.unshare

function M.up(flag)
  return not pcall(mascon.attach, flag)
end

function M.wait(flag)
  while not M.up(flag) do mascon.ones(100):sum() end
end

return M
