-- what the README shows is what comes out

local read = require "spec.shell".read

describe("the README", function()
  it("has a tour that prints what it says", function()
    local text = read "README.md"
    local code, rest = text:match "```lua\n(.-)```(.*)"
    local expected = rest:match "```\n(.-)```"
    local lines, env = {}, setmetatable({}, { __index = _G })
    function env.print(...)
      local t = table.pack(...)
      for i = 1, t.n do t[i] = tostring(t[i]) end
      lines[#lines + 1] = table.concat(t, "\t") .. "\n"
    end
    assert(load(code, "=tour", "t", env))()
    local got = table.concat(lines)
    if jit then  -- it writes no fraction of whole numbers
      got, expected = got:gsub("(%d)%.0%f[%D]", "%1"), expected:gsub("(%d)%.0%f[%D]", "%1")
    end
    assert.equal(expected, got)
  end)

  it("names files that exist", function()
    for path in read "README.md":gmatch "%]%(([%w_/%.]+)%)" do
      assert.is_truthy(io.open(path), path)
    end
  end)
end)
