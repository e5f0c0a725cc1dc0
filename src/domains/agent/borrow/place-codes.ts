import { fold } from "../understand/languages/words.ts";

const STATES = `AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,
DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,
LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,
NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,
OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,
UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming`;

const states = new Map(
  STATES.split(/,\s*/).map((line) => [line.slice(0, 2), [fold(line.slice(3))]] as const),
);

/** What a country is called, by its code of two letters. */
function countryNames(code: string): string[] {
  return NAMES.flatMap((names) => names.of(code) ?? [])
    .filter((name) => name !== code)
    .map(fold);
}

const NAMES = ["en", "de"].map((language) => new Intl.DisplayNames([language], { type: "region" }));

/** Where nearly all values of a column are codes of states or countries: the codes by what they stand for. */
export function codesOf(values: readonly string[]): ReadonlyMap<string, string> {
  const codes = values.filter((value) => /^[A-Z]{2}$/.test(value));
  if (codes.length < values.length * CODES || codes.length === 0) return new Map();
  const named = (namesOf: (code: string) => readonly string[]) => {
    const found = codes.flatMap((code) => namesOf(code).map((name) => [name, code] as const));
    return {
      found: new Map(found),
      isAll: new Set(found.map(([, code]) => code)).size >= codes.length * CODES,
    };
  };
  const [ofStates, ofCountries] = [named((code) => states.get(code) ?? []), named(countryNames)];
  if (ofStates.isAll) return ofStates.found;
  return ofCountries.isAll ? ofCountries.found : new Map();
}

/** The others are what somebody wrote for "unknown". */
const CODES = 0.8;
