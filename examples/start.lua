-- start.lua - what the scripts beside it begin with: mascon, its command lines

if not pcall(require, "mascon") then
  io.stderr:write(arg[0]:match "[^/]*$",
    ': mascon is not found; in its source tree: eval "$(make -s env)"\n')
  os.exit(1)
end

return require "mascon.cli"
