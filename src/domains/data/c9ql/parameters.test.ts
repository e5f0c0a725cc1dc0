import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";
import type { AppError } from "../../../kernel/errors.ts";
import { type ParameterValue, parametersOf, parse } from "./index.ts";

let table: TestTable;
beforeAll(async () => {
  table = await TestTable.open();
});

/** The ids of the rows that a condition leaves. */
async function ids(condition: string, options: Parameters<TestTable["values"]>[1] = {}): Promise<unknown[]> {
  return (await table.values(`select id where ${condition} order by id`, options)).map(([id]) => id);
}

describe("parameters", () => {
  it.each<[condition: string, parameters: Record<string, ParameterValue>, found: number[]]>([
    ["Region = $c9_region$(West)$", {}, [1, 3]],
    ["Region = '$c9_region$(West)$[Region]$'", { region: "East" }, [2]],
    ["Region = $c9_REGION$", { region: "East" }, [2]],
    ["Region in $c9_region$", { region: ["East", "North"] }, [2, 4]],
    ["Region not in ($c9_region$, 'West')", { region: ["East"] }, [4]],
    ["Region = $c9_region$", { region: ["East", "North"] }, [2, 4]],
    ["Region != $c9_region$", { region: ["East", "North"] }, [1, 3]],
    ["Region in $c9_region$", { region: [] }, []],
    ["Region like $c9_part$", { part: "ort" }, [4]],
    ["Opened = $c9_x$", { x: null }, [3]],
    ["Opened in $c9_x$", { x: [null, 40] }, [1, 3]],
    ["Sent > $c9_least$", { least: 50 }, [1, 2]],
    ["Sent > $c9_least$", { least: "50" }, [1, 2]],
    ["Active = $c9_on$", { on: true }, [1, 4]],
    ["Date between $c9_range$", { range: { from: "2024-02-01", to: "2024-03-05" } }, [2, 3]],
    ["Date between $c9_range$ and Sent > 60", { range: ["2024-02-01", "2024-03-05"] }, [2]],
    ["Date = $c9_range$", { range: { from: "2024-02-01", to: "2024-03-05" } }, [2, 3]],
    [
      "Date >= $c9_range$ and Date <= $c9_range$",
      { range: { from: "2024-02-01", to: "2024-03-05" } },
      [2, 3],
    ],
    ["Date >= $c9_from$($c9_thismonth)$", {}, [3, 4]],
    ["Date >= $c9_from$", { from: "$c9_today-1d" }, [3, 4]],
    ["Seen >= $c9_from$", { from: new Date("2024-03-06T00:00:00Z") }, [1]],
    ["Date = $c9_day$", { day: new Date("2024-03-06T00:00:00Z") }, [4]],
    ["Region = $c9_q$", { q: "'; DROP TABLE sales; --" }, []],
  ])("%s with %j", async (condition, parameters, found) => {
    expect(await ids(condition, { parameters })).toEqual(found);
  });

  it("lists what a query asks for", () => {
    const text = "where a = $c9_x$(1)$[The X]$ and b in $c9_y$ and c > $c9_X$; select d limit 1";
    expect(parametersOf(parse(text))).toEqual([{ name: "x", fallback: "1", label: "The X" }, { name: "y" }]);
  });

  it("does not take parameters from the prototype", () => {
    expect(() => table.compile("where Region = $c9_constructor$", { parameters: {} })).toThrow(
      /has no value/,
    );
  });

  it("bounds the values of a list", () => {
    const parameters = { region: Array.from({ length: 10_001 }, String) };
    const run = () => table.compile("where Region in $c9_region$", { parameters });
    expect(run).toThrow(expect.objectContaining({ code: "too_large" } satisfies Partial<AppError>));
  });
});
