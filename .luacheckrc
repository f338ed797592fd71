std = "lua54"
max_line_length = 120
ignore = { "581" }  -- 'not (x <= y)' is true of NaN
files["spec"] = {
  std = "+busted",
  max_line_length = 130,
  ignore = { "311" },  -- values that a later line replaces
}
