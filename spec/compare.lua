-- compare.lua - for specs that compare numbers and images

local M = {}

-- NaN is near nothing
function M.near(want, got, tolerance)
  if not (math.abs(want - got) <= tolerance) then
    error(("%.17g expected, got %.17g"):format(want, got), 2)
  end
end

-- the same shape and, element by element, the same numbers
function M.same(a, b)
  local n = a.ndim
  if n ~= b.ndim or a.size ~= b.size then error("other shapes", 2) end
  for k = 1, n do
    if select(k, a:shape()) ~= select(k, b:shape()) then error("other shapes", 2) end
  end
  if a:eq(b):all() then return end
  for i = 1, a.nrows do
    for j = 1, n > 1 and a.ncols or 1 do
      local x, y = a, b
      if n < 3 then x, y = n > 1 and a(i, j) or a[i], n > 1 and b(i, j) or b[i] end
      if n < 3 and x ~= y then
        error(("(%d, %d): %.17g and %.17g"):format(i, j, x, y), 2)
      end
    end
  end
  error("other elements", 2)
end

return M
