-- every public operation, with every allocation failing (fault_host.c)

local shell = require "spec.shell"

-- public functions that no case of fault_cases.lua does, and why
local exempt = {
  ["mascon.parallel"] = "its states are made on threads of their own",
  ["mascon.spawn"] = "the same",
  ["Job:done"] = "the same", ["Job:result"] = "the same", ["Job:cancel"] = "the same",
}

describe("where memory fails", function()
  local dir
  setup(function() dir = shell.folder() end)
  teardown(function() shell.remove(dir) end)

  for _, whose in ipairs { "core", "lua" } do
    for _, how in ipairs { "on", "two" } do
      it(("every operation fails clearly and loses nothing: %s %s"):format(whose, how),
      function()
        local out, err, code = shell.run(("%s/spec/fault %s %s %s"):format(shell.build,
          whose, how, dir))
        assert.matches("^%d+ operations, %d+ failures\n$", out)
        assert.same({ "", 0 }, { err, code })
      end)
    end
  end

  it("there is a case for every public function", function()
    local cases = dofile "spec/fault_cases.lua"
    for name in shell.read "lua/mascon/meta.lua":gmatch "\nfunction ([%w_.:]+) ?%(" do
      assert.is_true(cases[name] ~= nil or exempt[name] ~= nil, name)
    end
  end)
end)
