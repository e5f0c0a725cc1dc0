/**
 * Texts from the odd corners of Unicode, the same for the same seed: what broke renderers elsewhere (controls of
 * direction, half surrogates, towers of marks, joined emoji, what is for private use, NULs, one word of thousands of
 * letters) and mixtures of these.
 */
export function oddStrings(count: number, seed = 8_319): string[] {
  const random = mulberry32(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const some = (most: number, make: () => string) => Array.from({ length: 1 + below(most) }, make).join("");
  const within = ([from, to]: readonly [number, number]) => String.fromCodePoint(from + below(to - from + 1));
  const corners: (() => string)[] = [
    () => some(6, () => pick(BIDI) + pick(WORDS)),
    () => `${pick(BIDI)}${pick(WORDS)} ${pick(WORDS)}`,
    () => some(8, () => pick(WORDS) + pick(RTL)),
    () => some(4, () => String.fromCharCode(0xd800 + below(0x800)) + pick(WORDS)),
    () => pick(WORDS) + some(120, () => within(pick(MARKS))),
    () => some(6, () => `${pick(EMOJI)}\u200d`),
    () => some(10, () => within(pick(PRIVATE))),
    () => some(6, () => pick(WORDS) + within([0, 0x1f])),
    () => some(6, () => within([0x7f, 0xa0])),
    () => some(12, () => pick(INVISIBLE) + pick(WORDS)),
    () => some(12, () => within([0xe0000, 0xe0fff])),
    () => pick(WORDS).repeat(1 + below(2_000)),
    () => pick(RTL).repeat(1 + below(300)),
    () => some(20, () => within(pick(BLOCKS))),
    () => some(12, () => within([0, 0xffff])),
    () => some(12, () => within([0x10000, 0x10ffff])),
    () => some(4, () => pick(MARKUP)),
    () => String((random() - 0.5) * 10 ** below(308)),
    () => " ".repeat(below(50)) + pick(["\n", "\r\n", "\t", "\u2028", "\u2029", "\u0085"]),
  ];
  return Array.from({ length: count }, (_, i) =>
    i % 3 === 0 ? some(4, () => pick(corners)()) : (corners[i % corners.length] as () => string)(),
  );
}

const BIDI = [..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"];
const WORDS = ["ab", "ab cd", "x", "1", "-1,5", "Straße", "", " ", "ﬁ", "ff i", "A-B", "a\u00adb"];
const RTL = ["אב", "שלום עולם", "مرحبا", "ﷺ", "ܫܠܡܐ", "ߊߋ", "𞤀𞤁", "لا"];
const MARKS = [
  [0x300, 0x36f],
  [0x483, 0x489],
  [0x591, 0x5bd],
  [0x64b, 0x65f],
  [0x900, 0x903],
  [0xe31, 0xe3a],
  [0x1ab0, 0x1aff],
  [0x20d0, 0x20ff],
  [0xfe00, 0xfe0f],
  [0xe0100, 0xe01ef],
] as const;
const EMOJI = ["👩", "👨🏿", "🏳️", "🌈", "❤️", "🇩🇪", "🇩", "👩🏽‍🚀", "#️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"];
const PRIVATE = [
  [0xe000, 0xf8ff],
  [0xf0000, 0xffffd],
  [0x100000, 0x10fffd],
] as const;
const INVISIBLE = [
  ..."\u00ad\u034f\u115f\u1160\u17b4\u180e\u200b\u200c\u200d\u2060\u2061\u206a\u206f\u3164\ufeff\uffa0\ufff9\ufffa\ufffb\ufffc\ufffd\ufffe\uffff",
];
/** Scripts whose letters are put together, some that are set from the right, and ones without a font. */
const BLOCKS = [
  [0x590, 0x5ff],
  [0x600, 0x6ff],
  [0x700, 0x74f],
  [0x900, 0x97f],
  [0xb80, 0xbff],
  [0xe00, 0xe7f],
  [0xf00, 0xfff],
  [0x1000, 0x109f],
  [0x1100, 0x11ff],
  [0x1780, 0x17ff],
  [0x1800, 0x18af],
  [0x2000, 0x206f],
  [0x2e80, 0x2fff],
  [0x3000, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xfb50, 0xfdff],
  [0xfe70, 0xfeff],
  [0x12000, 0x123ff],
  [0x1d100, 0x1d1ff],
  [0x1d400, 0x1d7ff],
  [0x1e900, 0x1e95f],
  [0x1f300, 0x1faff],
] as const;
const MARKUP = [
  "</script><script>",
  "<svg/onload=1>",
  "&#0;",
  "&#xD800;",
  "]]>",
  "<!--",
  '"><',
  '#import "x"',
  "$x$",
  "\\u{0}",
  "_x0000_",
  "=1+1",
  "{{0}}",
  "%00",
  "__proto__",
];

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
