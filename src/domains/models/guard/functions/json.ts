/** JSON and variants, in values only: nothing here reads a file or runs SQL. */
export const JSON_FUNCTIONS = `
  array_to_json from_json from_json_strict json json_array json_array_length json_contains json_exists
  json_extract json_extract_path json_extract_path_text json_extract_string json_group_array
  json_group_object json_group_structure json_keys json_merge_patch json_object json_pretty json_quote
  json_structure json_transform json_transform_strict json_type json_valid json_value row_to_json
  to_json variant_extract variant_typeof
`;
