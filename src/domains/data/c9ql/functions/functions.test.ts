import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await TestTable.open();
});

describe("functions", () => {
  const value = async (expression: string) =>
    (await table.values(`select ${expression} as v where id = 1`))[0]?.[0];

  it.each<[expression: string, value: unknown]>([
    ["abs(-3)", 3],
    ["acos(2)", null],
    ["asin(1)", Math.PI / 2],
    ["atan(1)", Math.PI / 4],
    ["round(cbrt(27), 9)", 3],
    ["ceil(1.2)", "2"],
    ["cos(0)", 1],
    ["cosh(0)", 1],
    ["floor(-1.2)", "-2"],
    ["sin(0)", 0],
    ["sqrt(16)", 4],
    ["sqrt(-1)", null],
    ["tan(0)", 0],
    ["round(2.567, 1)", "2.6"],
    ["round(Sent / 7)", 14],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["7 % 4", 3],
    ["7 % 0", null],
    ["1 / 0", null],
    ["7 / 2", 3.5],
    ["1 + 2 * 3 - 4", 3],
    ["'5' * 2", 10],
    ["upper('aé')", "AÉ"],
    ["lower('AÉ')", "aé"],
    ["trim('  x ')", "x"],
    ["length('aé')", "2"],
    ["substring('hello', 2, 3)", "ell"],
    ["substring('hello', 2)", "ello"],
    ["split('a,b', ',')", ["a", "b"]],
    ["regex_replace('a1b22', '[0-9]+', '#')", "a#b#"],
    ["concat(Region, '-', Sent, '-', Date)", "West-100-2024-01-05"],
    ["concat('a', null, 'b')", "ab"],
    ["ifnull(null, 5)", 5],
    ["coalesce(null, Region, 'x')", "West"],
    ["ifnull(Sent, 'none')", "100"],
    ["ifnull(null, '2024-01-01')", "2024-01-01"],
    ["ifnull(Date, '2024-01-01')", "2024-01-05"],
    ["case when Sent > 50 then 'high' else Sent end", "high"],
    ["case when Sent > 500 then 1 end", null],
    ["now()", "2024-03-06 12:30:00"],
    ["date(Created)", "2024-01-05"],
    ["str_to_date('31/Jan/2024 07:05 PM', 'dd/MMM/yyyy hh:mm a')", "2024-01-31 19:05:00"],
    ["str_to_date('never', yyyy-MM-dd)", null],
    ["date_format(Created, 'EEEE d MMMM yyyy')", "Friday 5 January 2024"],
    ["date_format(Created, dd-MMM)", "05-Jan"],
    ["date_format(Date, 'yyyy''%''MM')", "2024%01"],
    ["date_trunc(Created, month)", "2024-01-01"],
    ["date_trunc(Created, hour)", "2024-01-05 10:00:00"],
    ["date_trunc('2024-05-17', 'quarter')", "2024-04-01"],
    ["date_add(Date, 2d)", "2024-01-07"],
    ["date_add(Date, -1, 'months')", "2023-12-05"],
    ["date_add(Date, 1, quarter)", "2024-04-05"],
    ["date_add(Date, '3h')", "2024-01-05 03:00:00"],
    ["date_add(Date, 7)", "2024-01-12"],
    ["date_add('2024-01-31', '1m')", "2024-02-29"],
    ["date_delta(Date, $c9_today)", "61"],
    ["date_delta('2024-01-31', '2024-03-01', month)", "1"],
    ["date_delta($c9_today, Date, weeks)", "-8"],
    ["year(Date)", "2024"],
    ["quarter(Date)", "1"],
    ["month('12/24/2023')", "12"],
    ["week(Date)", "1"],
    ["day_of_week(Date)", "5"],
    ["hour(Created)", "10"],
    ["Date + 30", "2024-02-04"],
    ["Created - 1", "2024-01-04 10:00:00"],
    ["$c9_today - Date", "61"],
    ["Created - Date", 10 / 24],
    ["'$c9_lastquarter'", "2023-10-01"],
    ["{$c9_thisweek:EEE yyyy}", "Mon 2024"],
    ["1 = 1", true],
    ["null", null],
    ["$c9_n$(5)$ + 1", 6],
  ])("%s", async (expression, expected) => {
    expect(await value(expression)).toEqual(expected);
  });

  it.each<[expression: string, value: unknown]>([
    ["sum(Sent)", "450"],
    ["avg(Sent)", 112.5],
    ["min(Region)", "East"],
    ["max(Date)", "2024-03-06"],
    ["median(Sent)", 75],
    ["percentile(Sent, 50)", 75],
    ["percentile(Sent, 0.5)", 75],
    ["percentile(Sent, 100)", 300],
    ["round(sd(Sent), 3)", 131.498],
    ["sum(Extra.tags)", null],
    ["sum(Customer.zip code)", 104_017],
    ["sum(Active)", "2"],
    ["sum(Sent) / count(*)", 112.5],
    ["sum(Opened) / sum(Sent) * 100", (130 / 450) * 100],
  ])("%s", async (expression, expected) => {
    const [[result] = []] = await table.values(`select ${expression} as v`);
    expect(result).toEqual(expected);
  });
});
