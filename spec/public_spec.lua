-- every public name is bound and described

local mascon = require "mascon"

local read = require "spec.shell".read

-- public C functions that Lua does not call, and why
local unbound = {
  mascon_dtype_size = "an array knows the size of its elements",
  mascon_render = "mascon_render_values is more",
  mascon_to_dlpack = "a tensor is a pointer, for C and what calls C",
  mascon_to_dlversioned = "the same",
  mascon_from_dlpack = "the same",
  mascon_from_dlversioned = "the same",
  mascon_memory_use = "before the first array is made, and so before Lua",
  mascon_wrap = "for hosts, which push what they have wrapped",
}

describe("the public names", function()
  it("of C are bound in Lua, or there is a reason", function()
    local bound = {}
    local files = assert(io.popen "cat src/bind/*.c")
    for name in files:read "a":gmatch "mascon_[%w_]+" do bound[name] = true end
    files:close()
    local count = 0
    for name in read "include/mascon.h":gmatch "(mascon_[%w_]+) %(" do
      count = count + 1
      assert.is_true(bound[name] or unbound[name] ~= nil, name)
    end
    assert.is_true(count > 40)
  end)

  -- the sections of a header: title, what stands before the first function, all
  local function sections(path)
    return read(path):gmatch "\n/%* {=+\n%*%* ([^\n]+)\n%*%* =+ %*/\n(.-)\n/%* }=+ %*/"
  end

  it("of C are in a section that says who owns what, and what threads may do", function()
    local count = 0
    for _, path in ipairs { "include/mascon.h", "include/mascon_lua.h" } do
      local outside = read(path)
      for title, text in sections(path) do
        assert.matches("^\n/%*\n%*%* Ownership: .-\n%*%* Threads: ", text, 1, false, title)
        outside = outside:gsub(("%s\n.-\n/%%* }="):format(title:gsub("%p", "%%%0")), "", 1)
        -- a comment is right above a function, or above the one before it, or names it
        local comments, above = "", false
        for comment in text:gmatch "/%*.-%*/" do comments = comments .. comment end
        for line in text:gmatch "([^\n]*)\n" do
          local name = line:match "^MASCON_API.-([%w_]+) %("
          if name then
            count = count + 1
            assert.is_true(above or comments:find(name, 1, true) ~= nil, name)
          end
          above = line ~= "" and (above or line:find("*/", 1, true) ~= nil)
        end
      end
      assert.is_nil(outside:match "\nMASCON_API.-%(", path)
    end
    assert.is_true(count > 100)
  end)

  it("of Lua are annotated", function()
    local meta = read "lua/mascon/meta.lua"
    for _, part in ipairs { "help", "image", "locs", "npz", "show", "plot", "hist", "heatmap" } do  -- annotated where they are
      meta = meta .. ("function mascon.%s("):format(part)
    end
    local function described(of, name)
      return meta:find(("function %s[.:]%s%%("):format(of, name)) or
        meta:find(("\n%s%%.%s = "):format(of, name))  -- a table, an alias
    end
    for name in pairs(mascon) do
      assert.is_truthy(described("mascon", name), name)
    end
    local methods = debug.getmetatable(mascon.zeros(1)).methods
    for name in pairs(methods) do
      assert.is_truthy(described("Array", name), name)
    end
  end)
end)
