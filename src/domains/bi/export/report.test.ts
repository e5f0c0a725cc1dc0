import { expect, it } from "vitest";
import type { Place } from "../shapes.ts";
import { bandsOf, type Cell, stretches } from "./report.ts";

const at = (col: number, row: number, sizeX: number, sizeY: number): Place => ({ col, row, sizeX, sizeY });

it("draws the bands of each page as high as fills it, up to the first table", () => {
  const places = [at(1, 1, 24, 6), at(1, 7, 12, 8), at(13, 7, 12, 8), at(1, 15, 24, 8), at(1, 23, 24, 8)];
  const all = places.map((place) => ({ place, isTable: false }));
  const found = stretches(all, 20);
  const [first, second, third, fourth] = places.map((place) => found.get(place) ?? 0);
  // 14 rows of 9.1 mm on the 162 mm of the first page are stretched as far as they may be, and so are 16 on the next.
  expect(first).toBeCloseTo(1.25, 2);
  expect([second, third]).toEqual([first, first]);
  expect(fourth).toBeCloseTo(1.25, 2);
  const table = { place: at(1, 15, 24, 8), isTable: true };
  const before = stretches([...all.slice(0, 3), table, { place: at(1, 23, 24, 8), isTable: false }], 20);
  expect([...before.values()]).toEqual([1, 1, 1]);
});

function tableWith(rows: number, columns: number): Cell {
  const names = Array.from({ length: columns }, (_, i) => ({ label: `Column ${i}`, format: "integer" }));
  const table = {
    kind: "table" as const,
    title: "T",
    columns: names,
    rows: Array.from({ length: rows }, (_, i) => names.map(() => i)),
    rowCount: rows,
  };
  return { place: at(1, 1, 24, 8), title: "T", notes: [], stretch: 1, table };
}

it.each([
  ["few rows once", 20, 3, 1],
  ["long narrow ones as often as there is room", 200, 3, 3],
  ["wider ones less often", 200, 6, 2],
  ["those as wide as the page once", 200, 14, 1],
])("prints %s side by side", (_, rows, columns, across) => {
  expect(bandsOf([tableWith(rows, columns)])).toMatchObject([{ kind: "table", across }]);
});
