/**
 * SQL for a VARIANT as JSON. DuckDB's own cast writes decimals without the zero in front (.1) and NaN as it is, both of
 * which are no JSON, so that nobody could read the part again.
 */
export function variantJson(column: string): string {
  const text = `CAST(CAST(${column} AS JSON) AS VARCHAR)`;
  // Every other piece between quotes is the inside of a text, once quotes that are escaped are out of the way.
  const pieces = `string_split(replace(replace(${text}, '\\\\', chr(1)), '\\"', chr(2)), '"')`;
  const zeros = String.raw`regexp_replace(_piece, '(^|[\[:,-])[.]([0-9])', '\10.\2', 'g')`;
  const names = String.raw`regexp_replace(${zeros}, '(-?(?:NaN|nan|Infinity|inf))', '"\1"', 'g')`;
  const repaired = `list_transform(${pieces}, lambda _piece, _place: CASE WHEN _place % 2 = 1 THEN ${names} ELSE _piece END)`;
  const whole = `replace(replace(array_to_string(${repaired}, '"'), chr(2), '\\"'), chr(1), '\\\\')`;
  // DuckDB takes NaN for JSON, and nobody else does.
  const isJson = `json_valid(${text}) AND NOT regexp_matches(${text}, '[Nn]a[Nn]|[Ii]nf')`;
  return `CAST(CASE WHEN ${text} = 'null' THEN NULL WHEN ${isJson} THEN ${text} ELSE ${whole} END AS JSON)`;
}
