import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvConverter, typesOf } from "../../../../../test/support/csv.ts";
import { chooseFormats, dateFormatsOf } from "./csv-dates.ts";

const convert = csvConverter();
const column = (...values: string[]): string => `d;t\n${values.map((value) => `${value};x\n`).join("")}`;

describe("a column that fits one format", () => {
  it.each<[string[], string, string[]]>([
    [["31-Jan-2024", "1-Feb-2024"], "%d-%b-%Y", ["2024-01-31", "2024-02-01"]],
    [["31-JAN-24", "01-feb-99"], "%d-%b-%y", ["2024-01-31", "1999-02-01"]],
    [["Jan 31, 2024", "May 1, 2024"], "%b %d, %Y", ["2024-01-31", "2024-05-01"]],
    [["May 31, 2024", "January 1, 2024"], "%B %d, %Y", ["2024-05-31", "2024-01-01"]],
    [["31 January 2024", "", "1 May 2024"], "%d %B %Y", ["2024-01-31", "null", "2024-05-01"]],
    [["31.01.2024", "1.2.2024"], "%d.%m.%Y", ["2024-01-31", "2024-02-01"]],
    [["31.01.24", "01.02.24"], "%d.%m.%y", ["2024-01-31", "2024-02-01"]],
    [["1/31/24", "2/1/24"], "%m/%d/%y", ["2024-01-31", "2024-02-01"]],
    [["2024.01.31", "2024.2.1"], "%Y.%m.%d", ["2024-01-31", "2024-02-01"]],
    [
      ["1/31/2024 2:30 PM", "2/1/2024 12:05 am"],
      "%m/%d/%Y %I:%M %p",
      ["2024-01-31 14:30:00", "2024-02-01 00:05:00"],
    ],
    [["31.01.2024 14:30", "1.2.2024 4:05"], "%d.%m.%Y %H:%M", ["2024-01-31 14:30:00", "2024-02-01 04:05:00"]],
    [["31.01.2024, 14:30:15"], "%d.%m.%Y, %H:%M:%S", ["2024-01-31 14:30:15"]],
    [["31/01/2024 14:30:15.250"], "%d/%m/%Y %H:%M:%S.%f", ["2024-01-31 14:30:15.25"]],
    [["31 12 2024", "1 2 2024"], "%d %m %Y", ["2024-12-31", "2024-02-01"]],
    [["01/31/2024T14:30:15"], "%m/%d/%YT%H:%M:%S", ["2024-01-31 14:30:15"]],
    [["7/10/14 18:37", "7/31/14 9:05"], "%m/%d/%y %H:%M", ["2014-07-10 18:37:00", "2014-07-31 09:05:00"]],
  ])("%s", async (texts, format, values) => {
    const result = await convert(column(...texts));
    const isDate = !format.includes(":");
    expect(typesOf(result)).toBe(`${isDate ? "DATE" : "TIMESTAMP"} VARCHAR`);
    expect(result.detected).toMatchObject(isDate ? { dateFormat: format } : { timestampFormat: format });
    expect(result.values.map(([first]) => String(first))).toEqual(values);
    expect(result).toMatchObject({ rejectedRows: 0, notes: [] });
  });

  it("that begins late", async () => {
    const empty = "7,,\n".repeat(500);
    const result = await convert(`a,b,c\n${empty}8,31.12.2024,31-Jan-2024\n9,01.02.2024,1-Feb-2024\n`);
    expect(typesOf(result)).toBe("BIGINT DATE DATE");
    expect(result.values.at(-1)).toEqual(["9", "2024-02-01", "2024-02-01"]);
  });

  it("without a header", async () => {
    const result = await convert("31-Jan-2024,x\n1-Feb-2024,y\n");
    expect(result).toMatchObject({ rows: 2, detected: { header: false } });
    expect(result.columns).toEqual([
      { name: "column_1", type: "DATE" },
      { name: "column_2", type: "VARCHAR" },
    ]);
  });

  it("each with its own, ISO 8601 beside them", async () => {
    const result = await convert("a,b,c,d\n31.01.2024,12/31/2024,2024-01-05,2024-01-05 10:00\n");
    expect(typesOf(result)).toBe("DATE DATE DATE TIMESTAMP");
    expect(result.values).toEqual([["2024-01-31", "2024-12-31", "2024-01-05", "2024-01-05 10:00:00"]]);
    expect(result.detected.dateFormat).toContainEqual({ column: "b", format: "%m/%d/%Y" });
  });

  it.each([
    [["31.02.2024", "01.02.2024"]],
    [["01/13/2024", "13/01/2024"]],
    [["31-Jan-2024", "Feb-1-2024"]],
    [["01/02/2024", "01/02/24"]],
    [["10.1.24", "10.2.24"]],
    [["1.12.2.2024", "1.12.3.2024"]],
    [["31.01.2024 25:00"]],
    [["Max 31, 2024"]],
  ])("or stays text: %s", async (texts) => {
    const result = await convert(column(...texts));
    expect(typesOf(result)).toBe("VARCHAR VARCHAR");
    expect(result.values.map(([first]) => first)).toEqual(texts);
  });
});

describe("day and month", () => {
  const open = "d,t\n01/02/2024,x\n03/04/2024,x\n";

  it("are taken in this order where nothing tells, and it is said", async () => {
    const result = await convert(open);
    expect(result.values[0]![0]).toBe("2024-02-01");
    expect(result.detected.dateFormat).toBe("%d/%m/%Y");
    expect(result.notes).toEqual([
      'Nothing in the file tells the order of day, month and year in "d": dates were taken as day/month/year, not month/day/year. If that is wrong, import again with options.date_format "%m/%d/%Y".',
    ]);
    expect(await convert(open, { dateFormat: "%m/%d/%Y" })).toMatchObject({
      values: [
        ["2024-01-02", "x"],
        ["2024-03-04", "x"],
      ],
      detected: { dateFormat: "%m/%d/%Y" },
      notes: [],
    });
    expect(await convert(open, { dateFormat: "%d/%m/%Y" })).toMatchObject({ notes: [] });
    const short = await convert(column("24-01-31", "24-02-01"));
    expect(short.values[0]![0]).toBe("2024-01-31");
    expect(short.notes).toEqual([expect.stringContaining("as year-month-day, not day-month-year")]);
  });

  it.each<[string, string, string, string | undefined]>([
    ["semicolons", "d;n\n01/02/2024;1,5\n", "2024-02-01", "the decimal comma"],
    ["amounts in dollars", "d,n\n01/02/2024,$5\n", "2024-01-02", "amounts in $"],
    ["amounts in pounds", "d,n\n01/02/2024,£5\n", "2024-02-01", "amounts in £"],
    ["the 12-hour clock", "d,n\n01/02/2024 2:30 PM,x\n", "2024-01-02 14:30:00", "AM and PM"],
    ["ZIP codes", "d,Zip Code\n01/02/2024,01234\n", "2024-01-02", "ZIP codes"],
    ["signs that contradict each other", "d;n\n01/02/2024;$5\n", "2024-02-01", undefined],
  ])("are told by %s", async (_, content, value, sign) => {
    const result = await convert(content);
    expect(result.values[0]![0]).toBe(value);
    expect(result.notes[0]).toContain(sign === undefined ? "Nothing in the file tells" : `Because of`);
    if (sign !== undefined) expect(result.notes[0]).toContain(sign);
  });

  it("are told by another column", async () => {
    const result = await convert("a,b\n01/02/2024,12/31/2024\n");
    expect(result).toMatchObject({ values: [["2024-01-02", "2024-12-31"]], notes: [] });
    const times = await convert("a,b\n01/02/2024,01/31/2024 10:00\n");
    expect(times).toMatchObject({ values: [["2024-01-02", "2024-01-31 10:00:00"]], notes: [] });
  });

  it("are told by a late value", async () => {
    const start = `d,t\n${"01/02/2024,x\n".repeat(30_000)}`;
    const american = await convert(`${start}02/13/2024,x\n`);
    expect(american).toMatchObject({ detected: { dateFormat: "%m/%d/%Y" }, notes: [], rows: 30_001 });
    expect([american.values[0]![0], american.values[30_000]![0]]).toEqual(["2024-01-02", "2024-02-13"]);
    const other = await convert(`${start}13/02/2024,x\n`);
    expect(other).toMatchObject({ detected: { dateFormat: "%d/%m/%Y" }, notes: [] });
    const both = await convert(`${start}13/02/2024,x\n02/13/2024,x\n`);
    expect(typesOf(both)).toBe("VARCHAR VARCHAR");
    expect(both.detected).not.toHaveProperty("dateFormat");
    expect(both.notes).toEqual([expect.stringContaining('Column "d" is text: most values are dates')]);
  });
});

describe("what the caller says", () => {
  it("is believed of the columns that it fits", async () => {
    const result = await convert("a,b,c\n20240131,01/02/2024,7\n", { dateFormat: "%Y%m%d" });
    expect(typesOf(result)).toBe("DATE DATE BIGINT");
    expect(result.values[0]![0]).toBe("2024-01-31");
    const none = await convert("a,b\n1,x\n", { dateFormat: "%d/%m/%Y" });
    expect(none.notes).toEqual(['No column has dates in the format "%d/%m/%Y".']);
  });

  it("is refused when nobody knows it", async () => {
    await expect(convert("a,b\n1,x\n", { dateFormat: "%Q" })).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("%Q"),
    });
  });

  it("about a type finds the format by itself, and rejects what does not fit", async () => {
    const result = await convert(`d,t\n${"31-Jan-2024,x\n".repeat(250)}soon,y\n`, { types: { d: "DATE" } });
    expect(result.columns[0]!.type).toBe("DATE");
    expect(result).toMatchObject({ rows: 250, rejectedRows: 1, rejected: [{ line: 252 }] });
  });
});

describe("what is printed is read back", () => {
  const MONTHS = ["January", "February", "March", "April", "May", "June", "July"];
  const two = (number: number): string => String(number).padStart(2, "0");
  const PRINTERS: readonly ((day: number, month: number, year: number) => string)[] = [
    (day, month, year) => `${two(day)}.${two(month)}.${year}`,
    (day, month, year) => `${day}/${month}/${year}`,
    (day, month, year) => `${month}-${two(day)}-${year}`,
    (day, month, year) => `${month}/${day}/${String(year).slice(2)}`,
    (day, month, year) => `${day}-${MONTHS[month - 1]!.slice(0, 3)}-${String(year).slice(2)}`,
    (day, month, year) => `${MONTHS[month - 1]} ${day}, ${year}`,
    (day, month, year) => `${year}/${month}/${two(day)}`,
  ];
  const date = fc.tuple(
    fc.integer({ min: 1, max: 28 }),
    fc.integer({ min: 1, max: 7 }),
    fc.integer({ min: 1970, max: 2068 }),
  );

  it("when one of the days cannot be a month", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PRINTERS),
        fc.array(date, { maxLength: 30 }),
        async (print, some) => {
          const dates: [number, number, number][] = [...some, [28, 2, 2041]];
          const result = await convert(`d;t\n${dates.map((each) => `${print(...each)};x\n`).join("")}`);
          const iso = dates.map(([day, month, year]) => `${year}-${two(month)}-${two(day)}`);
          expect(result.values.map(([first]) => first)).toEqual(iso);
          expect(result.notes).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("and beside anything else it stays as it was", async () => {
    const other = fc.stringMatching(/^[0-9./ A-z-]{1,10}[a-z]$/).filter((text) => !/^[-\s]|"/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PRINTERS),
        fc.array(date, { maxLength: 10 }),
        other,
        async (print, some, text) => {
          const texts = [...some.map((each) => print(...each)), text];
          const result = await convert(`d;t\n${texts.map((each) => `"${each}";x\n`).join("")}`, {
            header: true,
          });
          expect(result.values.map(([first]) => first)).toEqual(texts);
        },
      ),
      { numRuns: 60 },
    );
  });
});

it("formats of single values", () => {
  expect(dateFormatsOf("01/02/2024")).toEqual(["%d/%m/%Y", "%m/%d/%Y"]);
  expect(dateFormatsOf("13/02/2024")).toEqual(["%d/%m/%Y"]);
  expect(dateFormatsOf("1.2.3")).toEqual([]);
  expect(dateFormatsOf("192.168.1.100")).toEqual([]);
  expect(dateFormatsOf("10:30")).toEqual([]);
  expect(dateFormatsOf("2024-01")).toEqual([]);
});

describe("steps between dates tell the order", () => {
  const months = Array.from(
    { length: 24 },
    (_, index) => `${(index % 12) + 1}/1/${98 + Math.floor(index / 12)}`,
  );
  it.each<[string, string[], string, boolean]>([
    ["months over years", months, "1998-02-01", true],
    ["a month is missing", months.filter((date) => date !== "5/1/98"), "1998-02-01", true],
    ["three months", ["8/1/98", "9/1/98", "10/1/98"], "1998-09-01", true],
    ["months, day first", ["01/08/1998", "01/09/1998", "01/10/1998"], "1998-09-01", true],
    ["quarters", ["1/1/2019", "4/1/2019", "7/1/2019", "10/1/2019", "1/1/2020"], "2019-04-01", true],
    ["each of them twice", months.flatMap((date) => [date, date]), "1998-01-01", true],
    ["days or eighths of months", ["1/8/2024", "2/8/2024", "3/8/2024"], "2024-08-02", false],
    ["none", ["1/8/2024", "3/2/2024", "5/11/2024", "4/8/2024"], "2024-02-03", false],
  ])("%s", async (_, dates, second, isTold) => {
    const result = await convert(`date,v\n${dates.map((date, index) => `${date},${index}\n`).join("")}`);
    expect(result.values[1]![0]).toBe(second);
    expect(result.notes).toEqual([
      expect.stringContaining(isTold ? "Because of the regular steps" : "Nothing in the file tells"),
    ]);
  });
});

it("two columns that contradict each other settle nothing", () => {
  const chosen = chooseFormats(
    new Map([
      [0, ["%d/%m/%Y"]],
      [1, ["%m.%d.%Y"]],
      [2, ["%d/%m/%Y", "%m/%d/%Y"]],
    ]),
    undefined,
  );
  expect(chosen.get(2)).toEqual({ formats: ["%d/%m/%Y", "%m/%d/%Y"], settledBy: undefined });
});
