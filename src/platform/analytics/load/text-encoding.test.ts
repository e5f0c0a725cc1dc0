import { describe, expect, it } from "vitest";
import { csvConverter } from "../../../../test/support/csv.ts";
import { detectEncoding } from "./text-encoding.ts";

const convert = csvConverter();
const bytes = (base64: string): Buffer => Buffer.from(base64, "base64");

/** Node has decoders for these encodings and no encoders: the bytes were written by Python. */
const TEXTS: readonly [string, string, string][] = [
  [
    "shift_jis",
    "k3OTuZV7jKcskGyM+yyU9Y1sCpOMi56TcywxMzk2MDAwMCyO8ZNzgsWCoILpCpHljeOVeyw4ODM3MDAwLIK9grGC4oKrgqqCqIKigrWCogqWa4pDk7ksNTIyNDAwMCyDSoNqCg==",
    "東京都",
  ],
  ["shift_jis", "k3OTuZV7jKcskGyM+wqTjIuek3MsMQqR5Y3jlXssMgqWa4pDk7ksMwqLnpNzlXssNAo=", "東京都"],
  [
    "euc-jp",
    "xdTGu8ncuKksv824/SzI97nNCsXstf7F1CwxMzk2MDAwMCy888XUpMekoqTrCsLnuuXJ3Cw4ODM3MDAwLKS/pLOk5KStpKykqqSkpLekpArLzLOkxrssNTIyNDAwMCylq6XLCg==",
    "東京都",
  ],
  [
    "gb18030",
    "yqG33SzIy7/aLLG416IKueO2q8qhLDEyNjAxMjUxMCy+rbzD1+63orTvtcTKobfd1q7SuwrJvbaryqEsMTAxNTI3NDUzLL/X19O1xLnKz+cKutPEz8qhLDk5MzY1NTE5LNbQ1K0K",
    "广东省",
  ],
  [
    "big5",
    "v6SlqyykSKRmLLPGtfkKu0+lX6WrLDI2MDI0MTgsrbqzowq3c6VfpassNDAzMDk1NCykSKRms8ymaKq6q7Clqwq7T6SkpassMjgyMDc4Nyyk0a7wq9ymbgo=",
    "臺北市",
  ],
  [
    "euc-kr",
    "vcO1tSzAzrG4LLrxsO0KvK2/78avurC9wyw5NjY4NDY1LLz2tbXA1LTPtNkKus676rGkv6q9wywzMzkxOTQ2LLnZtNmwoSDA1rTCILW1vcMK",
    "서울특별시",
  ],
  [
    "windows-1251",
    "w+7w7uQszeDx5evl7ejlLMfg7OXy6uAKzO7x6uLgLDEyNTA2NDY4LNHy7uvo9uAg0O7x8ejoCtHg7eryLc/l8uXw4fPw4yw1MzUxOTM1LPHl4uXw7eD/IPHy7uvo9uAK",
    "Москва",
  ],
  [
    "koi8-r",
    "58/Sz8Qs7sHTxczFzsnFLPrBzcXUy8EK7c/Ty9fBLDEyNTA2NDY4LPPUz8zJw8Eg8s/T08nJCvPBzsvULfDF1MXSwtXSxyw1MzUxOTM1LNPF18XSzsHRINPUz8zJw8EK",
    "Москва",
  ],
  ["windows-1251", "w87QzsQs18jRy84KzM7RysLALDEKzc7CztHIwcjQ0cosNQrFysDSxdDIzcHT0MMsNAo=", "МОСКВА"],
  ["koi8-r", "5+/y7+Qs/unz7O8K7e/z6/fhLDEK7u/37/Pp4uny8+ssNQrl6+H05fLp7uL18ucsNAo=", "МОСКВА"],
  [
    "windows-1251",
    "zLPx8u4szeDx5evl7e3/Csrov+IsMjk1MjMwMQrV4PDqs+IsMTQyMTEyNQrO5OXx4CwxMDEwNTM3Cg==",
    "Київ",
  ],
  ["macintosh", "bm9tLHZpbGxlCk1pY2hlbCBCYXJyaY9yZSxPcmyOYW5zClJlbo7VcyxOlG1lcwo=", "Michel Barrière"],
];

it.each(TEXTS)("%s is told by its words", async (encoding, base64, place) => {
  const { detected, values, notes } = await convert(bytes(base64));
  expect(detected.encoding).toBe(encoding);
  expect(values[0]![0]).toBe(place);
  expect(notes[0]).toContain(`was read as ${encoding}. If letters are wrong`);
});

describe("texts of western Europe are told from those", () => {
  it.each([
    "Département,Élèves\nHérault,5\nCôte-d'Or,7\nÎle-de-France,9\n",
    "Straße,Größe\nMüllerstraße,5\nÜbergröße,7\n",
    "place,t\nA,20°C\nB,21°C\nC,22°C\nD,23°C\nE,24°C\n",
    "CAÑÓN,ÁREA\nMÉXICO,1\nPEÑÍSCOLA,ÁÉÍ\n",
    "Øl,Æble\nSmørrebrød,Åse\nKøbenhavn,ÆØÅ\n",
    "Município,Região\nSão Paulo,AÇÃO\nGoiânia,NAÇÃO\n",
  ])("%j", (text) => {
    expect(detectEncoding(Buffer.from(text, "latin1"))).toBe("windows-1252");
  });
});

it("what the caller says is believed, without a note", async () => {
  const { detected, notes } = await convert(bytes(TEXTS[0]![1]), { encoding: "Shift_JIS" });
  expect(detected.encoding).toBe("shift_jis");
  expect(notes).toEqual([]);
});
