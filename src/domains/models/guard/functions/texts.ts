/** Texts and bytes. Functions on paths only take them apart. */
export const TEXTS = `
  ascii bar base64 bin bit_length bitstring char_length character_length chr concat concat_ws contains
  damerau_levenshtein decode editdist3 encode ends_with format format_bytes formatreadabledecimalsize
  formatreadablesize from_base64 from_binary from_hex hamming hex ilike_escape instr jaccard
  jaro_similarity jaro_winkler_similarity lcase left left_grapheme length length_grapheme levenshtein
  like_escape lower lpad ltrim md5 md5_number md5_number_lower md5_number_upper mismatches nfc_normalize
  not_ilike_escape not_like_escape octet_length ord parse_dirname parse_dirpath parse_filename
  parse_formatted_bytes parse_path position prefix printf regexp_escape regexp_extract
  regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array
  regexp_split_to_table repeat replace reverse right right_grapheme rpad rtrim sha1 sha256 split
  split_part starts_with str_split str_split_regex string_split string_split_regex string_to_array
  strip_accents strlen strpos substr substring substring_grapheme suffix to_base to_base64 to_binary
  to_hex translate trim ucase unbin unhex unicode upper url_decode url_encode
`;
