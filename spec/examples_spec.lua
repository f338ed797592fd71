-- every example that is a tool explains itself and refuses what it cannot do

local shell = require "spec.shell"

for _, name in ipairs { "demo", "fullsize", "gauss", "parallel", "recommend", "render", "stream" } do
  describe("examples/" .. name .. ".lua", function()
    local command = ("%s examples/%s.lua "):format(shell.mascon, name)

    it("has --help", function()
      for _, option in ipairs { "--help", "-h" } do
        local out, err, code = shell.run(command .. option)
        assert.same({ "", 0 }, { err, code })
        assert.matches("^usage: " .. name .. "%.lua ", out)
      end
    end)

    it("refuses an unknown option in one line", function()
      local out, err, code = shell.run(command .. "--bogus")
      assert.same({ "", 2 }, { out, code })
      assert.matches("^" .. name .. "%.lua: [^\n]*%-%-help[^\n]*\n$", err)
    end)
  end)
end
