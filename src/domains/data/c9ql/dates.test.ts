import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import { readDateText } from "./coerce.ts";
import { formatTime, javaPattern } from "./date-functions.ts";
import { DATE_TOKENS, tokenTime } from "./parameters.ts";
import { calendarTime, dateText, instantOf, type LocalTime, localTime, timestampText } from "./value.ts";

const at = (year: number, month: number, day: number, hour = 0, minute = 0): LocalTime =>
  calendarTime({ year, month, day, hour, minute }) as LocalTime;

const moment = fc
  .date({ min: new Date("1900-01-01T00:00:00Z"), max: new Date("2100-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date): LocalTime => localTime(date, "UTC"));

describe("date tokens", () => {
  it.each([
    ["today", "2024-03-06"],
    ["yesterday", "2024-03-05"],
    ["thisweek", "2024-03-04"],
    ["lastweek", "2024-02-26"],
    ["thismonth", "2024-03-01"],
    ["lastmonth", "2024-02-01"],
    ["thisquarter", "2024-01-01"],
    ["lastquarter", "2023-10-01"],
    ["thisyear", "2024-01-01"],
    ["lastyear", "2023-01-01"],
  ])("$c9_%s is %s", (name, expected) => {
    expect(timestampText(DATE_TOKENS[name]?.(at(2024, 3, 6, 12, 30)) as LocalTime)).toBe(
      `${expected} 00:00:00`,
    );
  });

  it("begins a week on Monday, also on Sundays and Mondays", () => {
    const start = (now: LocalTime) => dateText(DATE_TOKENS.thisweek?.(now) as LocalTime);
    expect(start(at(2024, 3, 10, 23, 59))).toBe("2024-03-04");
    expect(start(at(2024, 3, 11))).toBe("2024-03-11");
    expect(start(at(2024, 1, 1))).toBe("2024-01-01");
  });

  it("moves by months as DuckDB does", async () => {
    const table = await TestTable.open("CREATE TABLE one AS SELECT 1 AS x", "one");
    await fc.assert(
      fc.asyncProperty(moment, fc.integer({ min: -500, max: 500 }), async (now, amount) => {
        const span = { start: 0, end: 0 };
        const { time } = tokenTime(
          { kind: "token", name: "now", offsets: [{ amount, unit: "m" }], span },
          now,
        );
        const { rows } = await table.sql(
          `SELECT CAST(TIMESTAMP '${timestampText(now)}' + to_months(${amount}) AS VARCHAR)`,
        );
        expect(timestampText(time).replace(/\.?0+$/, "")).toBe(String(rows[0]?.[0]).replace(/\.?0+$/, ""));
      }),
      { numRuns: 300 },
    );
  });
});

describe("the wall clock", () => {
  it("goes there and back in any zone", () => {
    const zone = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Asia/Kolkata",
      "Australia/Lord_Howe",
    );
    fc.assert(
      fc.property(moment, zone, (utc, timezone) => {
        const ms = instantOf(utc, "UTC").epochMilliseconds;
        const local = localTime(new Date(ms), timezone);
        const back = instantOf(local, timezone).epochMilliseconds;
        // In the hour that comes twice, the first one is taken.
        expect(localTime(new Date(back), timezone).toString()).toBe(local.toString());
        expect(ms - back).toBeGreaterThanOrEqual(0);
        expect(ms - back).toBeLessThanOrEqual(3 * 3_600_000);
      }),
      { numRuns: 2_000 },
    );
  });

  it("knows the hours that are missing or come twice", () => {
    const berlin = (local: LocalTime) => instantOf(local, "Europe/Berlin").toString();
    expect(berlin(at(2024, 3, 31, 1, 59))).toBe("2024-03-31T00:59:00Z");
    expect(berlin(at(2024, 3, 31, 2, 30))).toBe("2024-03-31T01:30:00Z");
    expect(berlin(at(2024, 3, 31, 3, 0))).toBe("2024-03-31T01:00:00Z");
    expect(berlin(at(2024, 10, 27, 2, 30))).toBe("2024-10-27T00:30:00Z");
    expect(berlin(at(2024, 7, 1))).toBe("2024-06-30T22:00:00Z");
  });
});

describe("dates as people write them", () => {
  it.each([
    ["2024-01-31", "2024-01-31 00:00:00"],
    ["2024-1-5", "2024-01-05 00:00:00"],
    ["2024-01-31 10:30", "2024-01-31 10:30:00"],
    ["2024-01-31T10:30:15.5", "2024-01-31 10:30:15.500000"],
    ["2024-01-31T10:30:15.123456789", "2024-01-31 10:30:15.123456"],
    ["2024-01-31T10:30:00Z", "2024-01-31 11:30:00"],
    ["2024-01-31 10:30:00+05:30", "2024-01-31 06:00:00"],
    ["2024/01/31", "2024-01-31 00:00:00"],
    ["1/31/2024", "2024-01-31 00:00:00"],
    ["01/31/2024 10:30", "2024-01-31 10:30:00"],
    ["31.1.2024", "2024-01-31 00:00:00"],
    ["20240131", "2024-01-31 00:00:00"],
    ["31 Jan 2024", "2024-01-31 00:00:00"],
    ["31-jan-2024", "2024-01-31 00:00:00"],
    ["January 31, 2024", "2024-01-31 00:00:00"],
    ["  2024-02-29 ", "2024-02-29 00:00:00"],
  ])("%s is %s", (text, expected) => {
    expect(timestampText(readDateText(text, "Europe/Berlin")?.time as LocalTime)).toBe(expected);
  });

  it.each([
    "",
    "today",
    "2023-02-29",
    "2024-13-01",
    "31/01/2024",
    "2024-01-31 25:00",
    "0000-01-01",
    "5",
    "31 Foo 2024",
  ])("%j is none", (text) => {
    expect(readDateText(text, "UTC")).toBeUndefined();
  });
});

describe("patterns", () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await TestTable.open("CREATE TABLE one AS SELECT 1 AS x", "one");
  });

  it.each([
    ["yyyy-MM-dd HH:mm:ss", "%Y-%m-%d %H:%M:%S"],
    ["d/M/yy h:mm a", "%-d/%-m/%y %-I:%M %p"],
    ["EEE EEEE MMM MMMM", "%a %A %b %B"],
    ["yyyyMMdd", "%Y%m%d"],
    ["HH:mm:ss.SSS", "%H:%M:%S.%g"],
    ["'week' w, ''yy''", "week %V, '%y'"],
    ["d. MMM 'o''clock' %", "%-d. %b o'clock %%"],
  ])("%s is %s", (java, duckdb) => {
    expect(javaPattern(java)).toEqual({ ok: true, format: duckdb });
  });

  it("say what is meant instead of a wrong letter", () => {
    expect(javaPattern("DD")).toMatchObject({ ok: false, problem: expect.stringContaining("dd") });
    expect(javaPattern("yyyy q")).toMatchObject({
      ok: false,
      problem: expect.stringContaining('"q" means nothing'),
    });
  });

  it("give the same text for tokens as DuckDB gives for fields", async () => {
    const part = fc.constantFrom(
      ..."yyyy yy M MM MMM MMMM d dd H HH h hh m mm s ss SSS a EEE EEEE w".split(" "),
    );
    const pattern = fc.array(fc.oneof(part, fc.constantFrom("-", " ", "'at'", "''", "%", ":")), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(moment, pattern, async (now, parts) => {
        const java = javaPattern(parts.join(","));
        const format = java.ok ? java.format : "";
        const { rows } = await table.sql(
          `SELECT strftime(TIMESTAMP '${timestampText(now)}', ${quoteText(format)})`,
        );
        expect(formatTime(format, now)).toBe(rows[0]?.[0]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a date next to a time is the whole day", () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await TestTable.open();
  });

  // Created: 1 on 01-05 10:00, 2 on 02-10 11:15, 3 on 03-05 23:30, 4 on 03-06 08:00.
  // Seen: 22:30 UTC of 03-06, 03-05, 03-04 and 03-03.
  it.each<[condition: string, ids: number[], timezone?: string]>([
    ["Created = 2024-03-05", [3]],
    ["Created = '5 Mar 2024'", [3]],
    ["2024-03-05 = Created", [3]],
    ["2024-03-05 >= Created", [1, 2, 3]],
    ["2024-03-05 < Created", [4]],
    ["Created != 2024-03-05", [1, 2, 4]],
    ["Created > 2024-03-05", [4]],
    ["Created >= 2024-03-05", [3, 4]],
    ["Created < 2024-03-05", [1, 2]],
    ["Created <= 2024-03-05", [1, 2, 3]],
    ["Created between 2024-02-10 and 2024-03-05", [2, 3]],
    ["Created not between 2024-02-10 and 2024-03-05", [1, 4]],
    ["Created in (2024-01-05, 2024-03-05)", [1, 3]],
    ["Created in (2024-01-05, '2024-03-05 23:30')", [1, 3]],
    ["Created not in (2024-01-05, 2024-03-05)", [2, 4]],
    ["Created = '2024-03-05 00:00'", []],
    ["Created = '2024-03-05 23:30:00'", [3]],
    ["Created > '2024-03-05 00:00'", [3, 4]],
    ["Created = $c9_today", [4]],
    ["Created in ($c9_today, $c9_yesterday)", [3, 4]],
    ["Created > $c9_today", [4]],
    ["Created <= $c9_today", [1, 2, 3]],
    ["Created between $c9_yesterday and $c9_today", [3]],
    ["Created = $c9_day$(2024-03-05)$", [3]],
    ["Created between $c9_from$(2024-02-10)$ and $c9_to$(2024-03-05)$", [2, 3]],
    ["case when Created = 2024-03-05 then true else false end", [3]],
    ["Date = 2024-03-05", [3]],
    ["Due = 2024-01-31 and id = 1", [1]],
    ["Seen = 2024-03-06", [1]],
    ["Seen = 2024-03-06", [2], "Asia/Tokyo"],
    ["Seen <= 2024-03-05", [3, 4], "Asia/Tokyo"],
    ["Seen in (2024-03-05, 2024-03-07)", [1, 3], "Asia/Tokyo"],
  ])("where %s", async (condition, ids, timezone = "UTC") => {
    expect(await table.values(`select id where ${condition} order by id`, { timezone })).toEqual(
      ids.map((id) => [id]),
    );
  });

  it("is as long as the clock makes it", async () => {
    const set = `SET TimeZone = 'UTC'; CREATE TABLE t AS SELECT i AS h, TIMESTAMPTZ '2024-03-30 20:00:00+00' + to_hours(i) AS at
      FROM range(60) r(i)`;
    const hours = await TestTable.open(set, "t");
    const query = "select count(*) where at = 2024-03-31";
    expect(await hours.values(query, { source: "t", timezone: "Europe/Berlin" })).toEqual([["23"]]);
  });
});
