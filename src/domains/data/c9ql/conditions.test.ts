import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await TestTable.open();
});

/** The ids of the rows that a condition leaves. */
async function ids(condition: string, options: Parameters<TestTable["values"]>[1] = {}): Promise<unknown[]> {
  return (await table.values(`select id where ${condition} order by id`, options)).map(([id]) => id);
}

describe("conditions", () => {
  it.each<[condition: string, found: number[]]>([
    ["Message Type = Transactional", [1, 4]],
    ['"message type" = "Transactional"', [1, 4]],
    ["Message Type = 'transactional'", []],
    ["Region != West", [2, 4]],
    ["Region <> West and Sent > 100", [2]],
    ["Opened > 30 or Opened is null", [1, 2, 3]],
    ["Opened = null", [3]],
    ["Opened != null", [1, 2, 4]],
    ["not Opened > 30", [4]],
    ["not (Region = West or Region = East)", [4]],
    ["Region like est", [1, 3]],
    ["Region like 'W%'", [1, 3]],
    ["Region like %st", [1, 2, 3]],
    ["Region not like west", [2, 4]],
    ["Region like 'W_st'", [1, 3]],
    ["Region like 'W\\_st'", []],
    ["Sent like 00", [1, 2]],
    ["Date like 2024-03", [3, 4]],
    ["Region like Region", [1, 2, 3, 4]],
    ["Region in (West, 'North')", [1, 3, 4]],
    ["Region not in (West, North)", [2]],
    ["Sent in (100, '300')", [1, 2]],
    ["Opened in (40, null)", [1, 3]],
    ["Opened not in (40, null)", [2, 4]],
    ["Sent in (Opened, 300)", [2, 4]],
    ["Sent in ()", []],
    ["Sent not in ()", [1, 2, 3, 4]],
    ["Sent between 50 and 100", [1, 3]],
    ["Sent not between 50 and 100", [2, 4]],
    ["Date between 2024-02-01 and '2024-03-05'", [2, 3]],
    ["Sent > Opened", [1, 2]],
    ["Active", [1, 4]],
    ["Active = yes", [1, 4]],
    ["Active = 0", [2]],
    ["Active is null", [3]],
    ["Sent * 2 >= 200", [1, 2]],
    ["Sent > 20 + 40", [1, 2]],
    ["'West' = Region", [1, 3]],
    ["case when Sent > 60 then Active else Opened is null end", [1, 3]],
  ])("%s", async (condition, found) => {
    expect(await ids(condition)).toEqual(found);
  });

  it.each<[condition: string, found: number[]]>([
    ["Sent = '100'", [1]],
    ["Sent > ' 60.5 '", [1, 2]],
    ["Customer.zip code = 10001", [2]],
    ["Customer.zip code > 20000", [1]],
    ["Date = 2024-03-05", [3]],
    ["Date = '03/05/2024'", [3]],
    ["Date = '5.3.2024'", [3]],
    ["Date >= '2024-03-05 12:00'", [4]],
    ["Created >= 2024-03-05", [3, 4]],
    ["Created = '2024-03-06 08:00'", [4]],
    ["Created = Date", []],
    ["Date <= Created", [1, 2, 3, 4]],
    ["Due = 2024-01-31 and Due != soon", [1]],
    ["Due > $c9_lastmonth and Due != soon", [2]],
    ["date(Due) = '2024-01-31' and Due != soon", [1]],
    ["Due = Date and Due != soon", [2]],
    ["Date = 3/5/2024", [3]],
    ["2024/3/5 = Date", [3]],
    ["Date in (3/5/2024, 2024-03-06, null)", [3, 4]],
    ["Date between 2/1/2024 and 3/5/2024", [2, 3]],
    ["Created >= 3/5/2024", [3, 4]],
    ["Seen < 3/4/2024", [4]],
    ["date_delta(Date, 3/6/2024) = 1", [3]],
    ["Sent = 600/3/2", [1]],
    ["Date = $c9_today", [4]],
    ["Date = $c9_yesterday", [3]],
    ["Date >= $c9_thismonth", [3, 4]],
    ["Date >= $c9_lastmonth and Date < $c9_thismonth", [2]],
    ["Created > $c9_now-5h", [4]],
    ["Seen >= $c9_today", [1]],
    ["Seen = '2024-03-06 22:30'", [1]],
    ["date_format(Date, yyyyMMdd) = {$c9_today:yyyyMMdd}", [4]],
    ["Extra.device.os = ios", [1]],
    ["Items[0].price > 2", [2]],
    ["$c9_today = Date", [4]],
  ])("fits values to what they are compared with: %s", async (condition, found) => {
    expect(await ids(condition)).toEqual(found);
  });

  it("reads days in the zone of the query", async () => {
    // 22:30 in London is the next day in Berlin.
    expect(await ids("Seen >= 2024-03-07", { timezone: "Europe/Berlin" })).toEqual([]);
    expect(await ids("Seen >= '2024-03-06 23:30'", { timezone: "Europe/Berlin" })).toEqual([1]);
    expect(await ids("date(Seen) = 2024-03-07", { timezone: "Asia/Tokyo" })).toEqual([1]);
    const now = new Date("2024-03-06T23:30:00Z");
    expect(await ids("Date = $c9_yesterday", { timezone: "Europe/Berlin", now })).toEqual([4]);
  });
});
