std = "lua54+luajit"
max_line_length = 120
ignore = { "581" }  -- 'not (x <= y)' is true of NaN
files["lua/mascon/meta.lua"] = {  -- declarations: nothing is used
  unused = false, max_line_length = false,
}
files["spec"] = {
  std = "+busted",
  max_line_length = 130,
  ignore = { "311" },  -- values that a later line replaces
}
