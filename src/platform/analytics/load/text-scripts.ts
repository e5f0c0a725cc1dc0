/** A way to write a character in two bytes, and where the characters stand that texts mostly have. */
interface TwoBytes {
  encoding: string;
  isUsual: (lead: number, trail: number) => boolean;
  /** Signs and digits, which say nothing about the language. */
  isSign: (lead: number) => boolean;
  /** Bytes that are characters by themselves. */
  isSingle?: (byte: number) => boolean;
}

const within = (byte: number, first: number, last: number): boolean => byte >= first && byte <= last;

/**
 * The narrowest first, because what is usual in one may be so in the next, too: Hangul; kana and the kanji of the first
 * level; the first level of Chinese in the order of their sounds; the frequent ones in the order of their strokes.
 */
const TWO_BYTES: readonly TwoBytes[] = [
  {
    encoding: "shift_jis",
    isUsual: (lead, trail) =>
      (lead === 0x82 && trail >= 0x4f) ||
      (lead === 0x83 && within(trail, 0x40, 0x96)) ||
      (lead === 0x88 && trail >= 0x9f) ||
      within(lead, 0x89, 0x98),
    isSign: (lead) => lead === 0x81,
    isSingle: (byte) => within(byte, 0xa1, 0xdf),
  },
  {
    encoding: "euc-kr",
    isUsual: (lead, trail) => within(lead, 0xb0, 0xc8) && trail >= 0xa1,
    isSign: (lead) => within(lead, 0xa1, 0xa3),
  },
  {
    encoding: "euc-jp",
    isUsual: (lead, trail) => (within(lead, 0xa4, 0xa5) || within(lead, 0xb0, 0xcf)) && trail >= 0xa1,
    isSign: (lead) => within(lead, 0xa1, 0xa3),
  },
  {
    encoding: "gb18030",
    isUsual: (lead, trail) => within(lead, 0xb0, 0xd7) && trail >= 0xa1,
    isSign: (lead) => within(lead, 0xa1, 0xa3),
  },
  {
    encoding: "big5",
    isUsual: (lead) => within(lead, 0xa4, 0xc6),
    isSign: (lead) => within(lead, 0xa1, 0xa3),
  },
];

const CYRILLIC = ["windows-1251", "koi8-r"];
/** The letters of which Russian texts have more than half of theirs, and Bulgarian and Ukrainian ones nearly. */
const FREQUENT = /[оеаинтсрвл]/giu;

const SAMPLE_BYTES = 256 * 1024;
/** Fewer characters may be anything. */
const LEAST_CHARACTERS = 4;
const MOST = 0.85;
/** Of the characters, how many stand beside another one: words have several, a degree sign stands alone. */
const BESIDE = 0.6;
const WORD_LETTERS = 2.5;
const FREQUENT_SHARE = 0.45;

/** The encoding of a text that is not UTF-8, where its bytes make words of another script; undefined otherwise. */
export function otherScript(head: Buffer): string | undefined {
  const first = head.findIndex((byte) => byte >= 0x80);
  // From the beginning of a line, so that no character is cut.
  const start = head.lastIndexOf(10, first) + 1;
  const sample = head.subarray(start, start + SAMPLE_BYTES);
  return (
    cyrillic(sample) ?? TWO_BYTES.find((script) => isWrittenIn(sample, script))?.encoding ?? oldMac(sample)
  );
}

/** Where an old Mac has small letters with accents, Windows has signs and capitals, which do not stand inside of words. */
function oldMac(bytes: Buffer): string | undefined {
  const inside = (bytes.toString("latin1").match(/(?<=[a-z])[\u0080-\u00ff](?=[a-z])/g) ?? []).join("");
  const mac = inside.match(/[\u0087-\u0091\u0093-\u0095\u0098\u0099\u009b\u009d\u009f]/g) ?? [];
  // On a Mac the second range begins with the apostrophe.
  const windows = inside.match(/[\u00c0-\u00d4\u00d6-\u00ff]/g) ?? [];
  return mac.length > windows.length ? "macintosh" : undefined;
}

function isWrittenIn(bytes: Buffer, { encoding, isUsual, isSign, isSingle }: TwoBytes): boolean {
  let [usual, other, beside] = [0, 0, 0];
  let isAfter = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at]!;
    const isPair = lead >= 0x80 && isSingle?.(lead) !== true;
    if (lead >= 0x80 && !isPair) other += 1;
    if (isPair) {
      const trail = bytes[at + 1] ?? 0;
      at += 1;
      if (isUsual(lead, trail)) usual += 1;
      else if (!isSign(lead)) other += 1;
      if (isAfter) beside += 1;
    }
    isAfter = isPair;
  }
  const all = usual + other;
  return (
    usual >= LEAST_CHARACTERS && usual >= all * MOST && beside * 2 >= all * BESIDE && decodes(bytes, encoding)
  );
}

function decodes(bytes: Buffer, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Both have the letters in the same places, in another order. */
function cyrillic(bytes: Buffer): string | undefined {
  const words = bytes.toString("latin1").match(/[\u0080-\u00ff]+/g) ?? [];
  const letters = words.join("");
  const isWords = letters.length >= words.length * WORD_LETTERS && letters.length >= LEAST_CHARACTERS;
  const inPlace = letters.match(/[\u00a3\u00a8\u00b3\u00b8\u00c0-\u00ff]/g) ?? [];
  if (!isWords || inPlace.length < letters.length * MOST) return undefined;
  const [best] = CYRILLIC.map((encoding) => {
    const text = new TextDecoder(encoding).decode(Buffer.from(letters, "latin1"));
    return { encoding, share: (text.match(FREQUENT) ?? []).length / letters.length };
  }).toSorted((a, b) => b.share - a.share);
  return best!.share >= FREQUENT_SHARE ? best!.encoding : undefined;
}
