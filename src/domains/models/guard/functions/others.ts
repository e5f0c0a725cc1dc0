/** What does not fit elsewhere. */
export const OTHERS = `
  alias gen_random_uuid hash nullif st_asbinary st_astext st_aswkb st_aswkt st_crs st_geomfromwkb
  st_intersects_extent st_setcrs typeof uuid uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7
`;
