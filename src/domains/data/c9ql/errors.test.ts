import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";
import { AppError } from "../../../kernel/errors.ts";

let table: TestTable;
beforeAll(async () => {
  table = await TestTable.open();
});

function failureOf(text: string): AppError {
  try {
    table.compile(text);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${text} did not fail`);
}

describe("an error", () => {
  it("says where it is, what is wrong and what to do", () => {
    const error = failureOf("select Region,\n  sum(Sennt) group by Region");
    expect(error.code).toBe("bad_request");
    expect(error.advice).toBe(
      [
        'C9QL, line 2, column 7: there is no field "Sennt". Did you mean Sent?',
        "    sum(Sennt) group by Region",
        "        ^^^^^",
      ].join("\n"),
    );
    expect(error.data).toEqual({ line: 2, column: 7, length: 5 });
  });

  it("shows only the surroundings of a long line", () => {
    const error = failureOf(`select ${"Sent, ".repeat(200)}Sennt, ${"Sent, ".repeat(200)}Sent`);
    const [, excerpt = "", carets = ""] = error.advice.split("\n");
    expect(excerpt.length).toBeLessThan(150);
    expect(excerpt.slice(carets.indexOf("^"), carets.lastIndexOf("^") + 1)).toBe("Sennt");
  });

  it.each<[query: string, message: RegExp, hint: RegExp]>([
    ["select Regoin", /no field "Regoin"/, /Did you mean Region\?/],
    ["select Mesage Type", /no field "Mesage Type"/, /Did you mean Message Type\?/],
    ["select xyz", /no field "xyz"/, /The fields are: id, Region, Message Type/],
    ["select smu(Sent)", /no function smu/, /Did you mean sum\?/],
    ["select frobnicate(Sent)", /no function frobnicate/, /The functions are .*sum/],
    ["select Customer.frist", /no "frist" inside/, /Did you mean first\?/],
    ["select *, ~Regoin", /no field "Regoin"/, /Region/],
    ["where Sent > lots", /Sent is a number, and this is none/, /Sent > lots/],
    ["where Sent > Opned", /is a number/, /Did you mean the field Opened\?/],
    ["where Date = tomorrow", /"tomorrow" is no date/, /2024-01-31/],
    ["where Date = '2024-02-30'", /is no date/, /2024-01-31/],
    ["where Date = 5", /cannot be compared/, /2024-01-31/],
    ["where Date = 31/1/2024", /a date cannot be compared/, /2024-01-31/],
    ["where Date > 2024 - 1", /a date cannot be compared/, /2024-01-31/],
    ["where Date > Sent * 2", /a date cannot be compared/, /2024-01-31/],
    ["where Sent = Created", /a date cannot be compared/, /2024-01-31/],
    ["where Date in (10/5)", /a date cannot be compared/, /2024-01-31/],
    ["where Region = (select 1)", /no queries inside of queries/, /in a statement before/],
    ["where Sent in (SELECT max(Sent))", /no queries inside of queries/, /in a statement before/],
    ["where Sent = (select * from sales)", /no queries inside of queries/, /double quotes/],
    ["select date_trunc('month', Dat)", /no field "Dat"/, /Did you mean Date\?/],
    ["select date_trunc('mnth', Date)", /is no unit of time/, /./],
    ["where Active = maybe", /neither true nor false/, /maybe/],
    ["where Region = Follow-up", /no field "Follow"/, /single quotes: 'Follow-up'/],
    ["where Items = 5", /a list and cannot be compared/, /expand\(items\)/],
    ["where Region", /a text, not a condition/, /field = value/],
    ["where sum(Sent) > 5", /cannot contain aggregates/, /next statement/],
    ["select sum(Sent) as s where s > 5", /cannot contain aggregates/, /next statement/],
    ["select Region, sum(Sent)", /Region is neither grouped by nor aggregated/, /Add group by Region/],
    [
      "select Sent, Region, count(*) group by Region",
      /Sent is neither/,
      /group by Region, Sent, .*max\(Sent\)/,
    ],
    ["select Sent + 1 as x, count(*) group by Sent * 2", /Sent is neither/, /group by/],
    ["select Region, count(*) group by Region order by Sent", /Sent is neither/, /max\(Sent\)/],
    ["select * group by Region", /all fields cannot be selected/, /count\(\*\)/],
    ["select sum(avg(Sent))", /cannot be taken of another aggregate/, /two statements/],
    ["select sum(Sent) over (partition by max(Sent) over ())", /cannot be nested/, /two statements/],
    ["select upper(Region) over ()", /no aggregate/, /over/],
    ["select sum(Sent) over (order by Date)", /partition by/, /an order inside is not available/],
    ["select Region group by 3", /no item 3/, /position/],
    ["select count(*) group by count(*)", /group by takes fields/, /group by field/],
    ["select Region order by 2", /no item 2/, /position/],
    ["select Region order by 'x'", /order by takes fields/, /order by field/],
    ["select distinct Region order by Sent", /only what is selected/, /Add Sent/],
    ["select Region as", /a name is missing after as/, /expression as name/],
    ["select", /nothing is selected/, /select \*/],
    ["select a,", /a field is missing/, /a,/],
    ["select (Sent", /a closing bracket is missing/, /Sent/],
    ["select sum(Sent, Opened)", /was given 2 arguments/, /Write sum\(number\)/],
    ["select round()", /was given 0 arguments/, /round\(number\[, digits\]\)/],
    ["select round(Sent, Opened)", /takes the digits as a number/, /Opened/],
    ["select percentile(Sent, 101)", /between 0 and 100/, /95/],
    ["select array(Sent, Sent)", /takes true or false/, /array/],
    [
      "select date_format(Date, Date)",
      /"D" means nothing in a date pattern \(the day of the month is dd\)/,
      /Date/,
    ],
    ["select date_format(Date, YYYY-MM-DD)", /the year is yyyy/, /YYYY/],
    ["select date_format(Date, `Region`)", /as a text in quotes, not from a field/, /Region/],
    ["select date_trunc(Date, mnth)", /"mnth" is no unit of time/, /Did you mean month\?/],
    ["select date_add(Date, 'soon')", /"soon" is no span of time/, /date_add\(date, '2d'\)/],
    ["select date_add(Sent, 1)", /a number, but a date is needed/, /str_to_date/],
    ["select Region * 'x'", /"x" is no number/, /concat/],
    ["select Date * 2", /dates cannot be computed with \*/, /date_add/],
    ["select Items + 1", /a list, but a number is needed/, /Items/],
    ["select Items.price", /cannot follow: this is a list/, /items\[0\]\.price/],
    ["select Sent.x", /cannot follow: this is a number/, /nested objects/],
    ["select expand(Sent)", /nothing to expand/, /list or a nested object/],
    ["select expand(Items), Region", /stands alone/, /All other fields are kept/],
    ["select upper(expand(Items))", /stands alone/, /next statement/],
    ["select expand(Items, Extra)", /was given 2 arguments/, /expand\(field\)/],
    ["where $c9_tody = Date", /no date token \$c9_tody/, /Did you mean \$c9_today\?/],
    ["where Region = $c9_region", /no date token \$c9_region/, /\$c9_region\$/],
    ["where Region = $c9_region$", /"region" has no value/, /\$c9_region\$\(default\)\$/],
    ["where Date > $c9_today+999999y", /beyond the years/, /^$/],
    ["where Sent > 1e999", /too large/, /1e999/],
    ["where a = b = c", /cannot be chained/, /and \/ or/],
    ["where Sent between 5", /between needs two values/, /low and high/],
    ["where Sent >", /the query ends where a value is expected/, /quotes/],
    ["where and Sent", /a value is expected before "and"/, /double quotes/],
    ["where Region = 'West", /never closed/, /write it twice/],
    ["select Sent /* all", /comment is never closed/, /\*\//],
    ["select {Sent}", /"\{" cannot stand here/, /quotes/],
    ["limit many", /limit takes a whole number|no field/, /many|fields/],
    ["select Sent limit 1.5", /whole number/, /limit 100/],
    ["select Sent limit 5 where Sent > 1", /"where" cannot stand here/, /The order is/],
    ["select Region || Region as x", /no field/, /concat\(a, b\)/],
    ["select stddev(Sent)", /no function stddev/, /Did you mean sd\?/],
    ["select constructor(Sent)", /no function constructor/, /The functions are/],
    ["select count(*) from sales", /"from" cannot stand here/, /no from/],
    ["select count(*) n m", /"n" cannot stand here/, /double quotes/],
    [
      "select sum(Sent) as total FROM sales order by total",
      /"from" cannot stand here/,
      /no from.*double quotes/,
    ],
    ["select * from sales", /"from" cannot stand here/, /no from/],
    ["select Sent from sales", /no field "Sent from sales"/, /no from/],
    ["select Region group by Region having count(*) > 1", /cannot stand here/, /next statement/],
    ["select Sent limit 5 offset 5", /"offset" cannot stand here/, /no offset/],
    ["select case when Sent > 1 then 2", /end is missing/, /case when/],
    ["select case when Sent > 1 else 2 end", /then is missing/, /else/],
    ["select ~", /the field to leave out/, /~field/],
    ["select id; select ~id", /no column is left/, /at least one/],
  ])("%s", (query, message, hint) => {
    const error = failureOf(query);
    expect(error.code).toBe("bad_request");
    expect(error.message).toMatch(message);
    expect(error.hint ?? "").toMatch(hint);
  });

  it.each(["forecast(Sent, 3)", "arima(Sent, 3)"])("says that %s is not available yet", (call) => {
    const error = failureOf(`select ${call}`);
    expect(error.code).toBe("unsupported");
    expect(error.message).toMatch(/is not available yet/);
  });

  it("names a field that needs quotes", () => {
    const columns = [{ name: "Terms and Conditions", type: "VARCHAR" }];
    // Known when the query is read, it needs none.
    expect(table.compile("select Terms and Conditions", { columns }).columns[0]?.name).toBe(
      "Terms and Conditions",
    );
    const error = failureOf("select Terms and Conditions");
    expect(error.message).toMatch(/no field "Terms"/);
  });

  it("refuses a time zone that there is none of", () => {
    expect(() => table.compile("*", { timezone: "Mars/Base" })).toThrow(/no time zone "Mars\/Base"/);
  });
});
