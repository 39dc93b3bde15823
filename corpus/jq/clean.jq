# Cleans the document up: paths, updates, defaults.
.b |= fabs |
.e += {b: 2} |
.g = (.missing // 7) |
del(.h) |
.f |= map(select(.a != null) ) |
with_entries(select(.value != false) ) |
# what is left, from all sides
{
  doc: ., flat: [.. | numbers], keys: (keys | .[1:3] | .[-1:]) , has: has("g") , paths: [paths],
  extremes: (.d | [min, max]) , sorted: (.d | sort | unique) , first: .d[0],
  text: (if .g == 7 and (.a | type) == "number" then "default" else @text "\(.g)" end) ,
  types: map_values(type) , size: length
}
