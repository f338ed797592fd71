-- the cases that fuzzing found worth keeping (make fuzz), once more

local shell = require "spec.shell"

describe("the fuzz target", function()
  for name in assert(io.popen "ls spec/fuzz/*.corpus"):read "a":gmatch "(%w+)%.corpus" do
    it(name .. " holds for the cases that are kept", function()
      local program = ("%s/spec/fuzz_%s"):format(shell.build, name)
      if name == "npz" and not shell.exists(program) then
        return pending "there is no libzip"
      end
      local out, err, code = shell.run(("MASCON_MODULES=%s/lib %s spec/fuzz/%s.corpus")
        :format(shell.build, program, name))
      assert.matches("%d+ cases\n$", out)
      assert.same({ "", 0 }, { err, code })
    end)
  end
end)
