-- handler.lua - busted output: failures in full, then "N passed, N failed"

return function()
  local busted = require "busted"
  local handler = require "busted.outputHandlers.base"()

  local function report(kind, list)
    for _, t in ipairs(list) do
      io.write(("\n%s: %s\n"):format(kind, t.name or "?"))
      if t.trace and t.trace.short_src then
        io.write(("  %s:%s\n"):format(t.trace.short_src,
                                      t.trace.currentline or "?"))
      end
      local m = t.message
      io.write("  ", type(m) == "string" and m or
               require "pl.pretty".write(m), "\n")
      if t.trace and t.trace.traceback and kind == "error" then
        io.write(t.trace.traceback, "\n")
      end
    end
  end

  local function testEnd(_, _, status)
    io.write(status == "success" and "." or status == "pending" and "s" or "F")
    io.flush()
    return nil, true
  end

  local function exit()
    io.write "\n"
    for _, t in ipairs(handler.pendings) do
      io.write(("skipped: %s%s\n"):format(t.name or "?", type(t.message) ==
        "string" and " (" .. t.message .. ")" or ""))
    end
    report("failed", handler.failures)
    report("error", handler.errors)
    io.write(("%d passed, %d failed, %d skipped\n"):format(
      handler.successesCount, handler.failuresCount + handler.errorsCount,
      #handler.pendings))
    return nil, true
  end

  busted.subscribe({ "test", "end" }, testEnd, { predicate = handler.cancelOnPending })
  busted.subscribe({ "exit" }, exit)
  return handler
end
