# A summary of the document: what each field is, and how large.
to_entries |
map({key: .key, type: (.value | type) , size: (.value | tojson | length) } ) |
sort_by(.size) | reverse |
{
  "largest": .[0].key,
  count: length,
  types: (group_by(.type) | map({ (.[0].type) : length }) | add) ,
  big: [.[] | select(.size > 4) | .key],
  @base64 "\(.[1].key) ": true
}
