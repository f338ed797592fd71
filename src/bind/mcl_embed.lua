-- mcl_embed.lua - write C that carries Lua modules as text
--
--   lua mcl_embed.lua lua/mascon/init.lua lua/mascon/show.lua ... > text.c
--
-- A host that links libmascon_lua has no files to look up.  Each module is an
-- array of bytes (string literals have a length limit) in one table.

local function modname(path)
  local name = path:match("^lua/(.*)%.lua$"):gsub("/", ".")
  return (name:gsub("%.init$", ""))
end

local rows = {}
print('#include "mcl_text.h"\n')
for i, path in ipairs(arg) do
  local f = assert(io.open(path, "rb"))
  local text = f:read("a")
  f:close()
  print(("static const unsigned char text%d[] = {"):format(i))
  for chunk in text:gmatch(("."):rep(16, "?")) do
    if #chunk > 0 then
      print((chunk:gsub(".", function(c) return c:byte() .. "," end)))
    end
  end
  if #text == 0 then print("0") end
  print("};\n")
  rows[i] = ('  {"%s", text%d, %d},'):format(modname(path), i, #text)
end
print("const mcl_text mcl_texts[] = {")
print(table.concat(rows, "\n"))
print("  {0, 0, 0}\n};")
