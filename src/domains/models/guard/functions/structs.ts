/** Structs, maps, unions and enums. */
export const STRUCTS = `
  cardinality element_at enum_code enum_first enum_last enum_range enum_range_boundary map map_concat
  map_contains map_contains_entry map_contains_value map_entries map_extract map_extract_value
  map_from_entries map_keys map_values row struct_concat struct_contains struct_extract
  struct_extract_at struct_has struct_indexof struct_insert struct_keys struct_pack struct_position
  struct_update struct_values switch union_extract union_tag union_value
`;
