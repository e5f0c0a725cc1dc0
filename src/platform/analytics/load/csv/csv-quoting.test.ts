import { describe, expect, it } from "vitest";
import { csvConverter, typesOf } from "../../../../../test/support/csv.ts";

const convert = csvConverter();
const BACKSLASH = expect.stringContaining("A backslash was read as an escape");
const SINGLE = expect.stringContaining("A single quote was read as the quote around values");

describe("quotes and escapes of other kinds", () => {
  it("a backslash before a quote", async () => {
    const result = await convert('id,said\n1,"He said \\"no, never\\", twice"\n2,"C:\\\\new"\n');
    expect(result.values).toEqual([
      ["1", 'He said "no, never", twice'],
      ["2", "C:\\new"],
    ]);
    expect(result.detected).toMatchObject({ quote: '"', escape: "\\", delimiter: "," });
    expect(result.notes).toEqual([BACKSLASH]);
  });

  it("a backslash before a delimiter, once and late", async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => `${index},plain ${index},x\n`).join("");
    const result = await convert(`n,title,t\n${rows}3000,Oder\\, wie ich lernte,y\n`);
    expect(result.rejectedRows).toBe(0);
    expect(result.values.at(-1)).toEqual(["3000", "Oder, wie ich lernte", "y"]);
  });

  it("a backslash before a line end, without any quotes", async () => {
    const result = await convert('n\tcode\tend\n1\tif a:\\\n\\\tgo()\t2\n3\ta """ text\t4\n5\tb\t6\n');
    expect(result.values).toEqual([
      ["1", "if a:\n\tgo()", "2"],
      ["3", 'a """ text', "4"],
      ["5", "b", "6"],
    ]);
  });

  it("single quotes, in which a value is not cut", async () => {
    const result = await convert("1\ta\ttext\n2\tb\t'te\txt'\n'3'\tc\tit's\n");
    expect(result.values).toEqual([
      ["1", "a", "text"],
      ["2", "b", "te\txt"],
      ["3", "c", "it's"],
    ]);
    expect(result.detected).toMatchObject({ quote: "'", escape: "'" });
    expect(result.notes).toEqual([SINGLE]);
  });

  it("single quotes with a backslash inside, behind blanks", async () => {
    const result = await convert("1, 'a, b', 'O\\'Neil'\n2, 'c', 'd, e'\n3, 'f', 'g'\n");
    expect(result.values).toEqual([
      ["1", "a, b", "O'Neil"],
      ["2", "c", "d, e"],
      ["3", "f", "g"],
    ]);
  });

  it("behind a byte order mark, with letters of all kinds", async () => {
    const result = await convert('\ufeff"näme",t\n"Ærø \\"x\\", 日本",1\n"b",2\n');
    expect(result.columns.map(({ name }) => name)).toEqual(["näme", "t"]);
    expect(result.values[0]).toEqual(['Ærø "x", 日本', "1"]);
  });
});

describe("rows of one width keep their quotes and backslashes", () => {
  it.each<[string, string, string[]]>([
    ["a folder in quotes", 'path,n\n"C:\\dir\\",1\n"D:\\",2\n', ["C:\\dir\\", "1"]],
    ["a folder without", "path,n\nC:\\dir\\x,1\nD:\\y,2\n", ["C:\\dir\\x", "1"]],
    ["an apostrophe in front", "name,n\n'Twas,1\n'90s,2\n", ["'Twas", "1"]],
    ["values in single quotes", "name,n\n'a',1\n'b',2\n", ["'a'", "1"]],
  ])("%s", async (_, content, first) => {
    const result = await convert(content);
    expect(result.values[0]).toEqual(first);
    expect(result.detected).toMatchObject({ quote: '"', escape: '"' });
    expect(result.notes).toEqual([]);
  });

  it("and one broken row does not leave the quotes in all others", async () => {
    const row = `"x","don\\'t"\n`;
    const result = await convert(`a,b\n${row.repeat(20)}"Happy" day,1\n`);
    expect(result.values[0]).toEqual(["x", "don\\'t"]);
  });

  it("and what the caller says about quotes is believed", async () => {
    const result = await convert("1\ta\ttext\n2\tb\t'te\txt'\n3\tc\td\n", { quote: '"' });
    expect(result.values[1]).toContain("'te");
    expect(result.detected.quote).toBe('"');
  });

  it("an escape that never comes to an end does no harm", async () => {
    const result = await convert(`a,b\n${'1,"\\"\n'.repeat(2_000)}`);
    expect(result.rows + result.rejectedRows).toBeGreaterThan(0);
  });
});

describe("blanks between fields", () => {
  it.each<[string, string, string, unknown[]]>([
    ["one", "-0.0031 0.083\n0.0188 0.084\n0.0248 0.087\n", "DOUBLE DOUBLE", [-0.0031, 0.083]],
    [
      "many, with names above",
      "  x    y  kind\n  1    2  aa\n 10   20  bb\n",
      "BIGINT BIGINT VARCHAR",
      ["1", "2", "aa"],
    ],
    [
      "as R writes them",
      '"height" "age"\n"Ann Lee" 170 31\n"Bo" NA 40\n',
      "VARCHAR BIGINT BIGINT",
      ["Ann Lee", "170", "31"],
    ],
  ])("%s", async (_, content, types, first) => {
    const result = await convert(content);
    expect(typesOf(result)).toBe(types);
    expect(result.values[0]).toEqual(first);
    expect(result.detected.delimiter).toBe(" ");
    expect(result.notes).toContain("The columns were told apart by the blanks between them.");
  });

  it.each([
    ["names", "name\nAnn Lee\nBo Diddley\nCy Young\n"],
    ["dates", "12 Jan 2020\n13 Jan 2020\n14 Jan 2020\n"],
    ["thousands", "total\n1 234\n12 345\n1 234 567\n"],
    ["telephone numbers", "030 1234567\n040 7654321\n089 1231231\n"],
    ["streets", "Main Street 12\nOak Street 7\nElm Street 3\n"],
  ])("but %s are one column", async (_, content) => {
    expect((await convert(content)).columns).toHaveLength(1);
  });

  it("where nothing tells, a note says so", async () => {
    const uneven = await convert("1 2 3\n4 5\n6 7 8\n9 1 2\n");
    expect(uneven.columns).toHaveLength(1);
    expect(uneven.notes).toContainEqual(expect.stringContaining("numbers with blanks between them"));
    const cards = await convert("4111 1111 1111 1111\n4222 2222 2222 2222\n4333 3333 3333 3333\n");
    expect(cards.columns).toHaveLength(1);
    expect(cards.notes).toContainEqual(expect.stringContaining("numbers with blanks between them"));
  });
});

describe("a list", () => {
  it("whose first value may be its name is told of", async () => {
    const { notes } = await convert("Afghanistan\nBahrain\nBangladesh\n");
    expect(notes).toEqual([expect.stringContaining('The first line, "Afghanistan", was taken for the name')]);
  });

  it("of numbers is none of these", async () => {
    expect((await convert("n\n1\n2\n")).notes).toEqual([]);
  });

  it("of long texts has no name", async () => {
    const result = await convert(`a\t${"long ".repeat(100)}\nb\tshort\n`);
    expect(result.rows).toBe(2);
  });
});

it("says that a backslash before a quote was kept where the rows do not show what it means", async () => {
  const { values, notes } = await convert('name;size\nscreen;19\\"\ndoor;80\\"\n');
  expect(values).toEqual([
    ["screen", '19\\"'],
    ["door", '80\\"'],
  ]);
  expect(notes).toEqual([expect.stringContaining('such as "19\\\\\\"", were taken as they stand')]);
});

describe("UTF-8 with a few bad bytes", () => {
  const bad = (text: string): Buffer =>
    Buffer.concat(
      text
        .split("#")
        .flatMap((part, index) => (index === 0 ? [] : [Buffer.of(0xe9)]).concat(Buffer.from(part))),
    );

  it("keeps the letters that are good, and counts the others", async () => {
    const result = await convert(bad("name,n\nÆrø,1\nJos#,2\nZoë – 日本 \ufffd,3\n"));
    expect(result.values.map(([name]) => name)).toEqual(["Ærø", "Jos\ufffd", "Zoë – 日本 \ufffd"]);
    expect(result.detected.encoding).toBe("utf-8");
    expect(result.notes[0]).toContain("1 character was not and became \ufffd");
  });

  it("also when they come late", async () => {
    const result = await convert(bad(`name,n\n${`Ærø,${"1".repeat(200)}\n`.repeat(22_000)}Jos#,2\n`));
    expect(result.values.at(-1)).toEqual(["Jos\ufffd", "2"]);
    expect(result.values[0]![0]).toBe("Ærø");
  });

  it("but a text that is mostly not UTF-8 is of Windows", async () => {
    const result = await convert(bad("name,n\nJos#,1\nCaf#,2\nÆro,3\n"));
    expect(result.detected.encoding).toBe("windows-1252");
  });
});
