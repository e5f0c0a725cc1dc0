import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "./limits.ts";
import type { ChartType, Place } from "./shapes.ts";

export interface Placed {
  id: number;
  name: string;
  place: Place | null;
}

const { columns: COLUMNS } = LIMITS.bi;
const SMALL = { sizeX: 6, sizeY: 4 };
const USUAL = { sizeX: 12, sizeY: 8 };
const MOST_STRETCHED = 2;
const WHOLE = { sizeX: COLUMNS, sizeY: 8 };

/** What suits a chart when nobody says how large it is to be. */
export function usualSize(chart: ChartType): Pick<Place, "sizeX" | "sizeY"> {
  if (chart === "singletext" || chart === "gauge") return chart === "gauge" ? { sizeX: 6, sizeY: 6 } : SMALL;
  if (chart === "recommendation" || chart === "text") return { sizeX: 12, sizeY: 4 };
  return chart === "datagrid2" ? WHOLE : USUAL;
}

/**
 * Places for widgets that come together, below whatever is there: side by side as long as there is room, those of one
 * row equally high and, if wanted, as wide as the dashboard.
 */
export function inShelves(
  sizes: readonly Pick<Place, "sizeX" | "sizeY">[],
  taken: readonly Place[],
  isFilled = false,
): Place[] {
  const shelves: Pick<Place, "sizeX" | "sizeY">[][] = [];
  for (const size of sizes) {
    const last = shelves.at(-1) ?? [];
    const isFull = last.reduce((sum, { sizeX }) => sum + sizeX, size.sizeX) > COLUMNS;
    if (isFull || shelves.length === 0) shelves.push([size]);
    else last.push(size);
  }
  let row = Math.max(1, ...taken.map((place) => place.row + place.sizeY));
  return shelves.flatMap((shelf) => {
    const [top, sizeY] = [row, Math.max(...shelf.map((size) => size.sizeY))];
    row += sizeY;
    let col = 1;
    return (isFilled ? filled(shelf) : shelf).map(({ sizeX }) => {
      col += sizeX;
      return { col: col - sizeX, row: top, sizeX, sizeY };
    });
  });
}

/** As wide together as the dashboard is, if none has to be more than twice as wide as is usual. */
function filled<T extends Pick<Place, "sizeX">>(shelf: readonly T[]): T[] {
  const by = COLUMNS / shelf.reduce((sum, { sizeX }) => sum + sizeX, 0);
  if (by > MOST_STRETCHED) return [...shelf];
  let [wanted, given] = [0, 0];
  return shelf.map((each) => {
    wanted += each.sizeX * by;
    const sizeX = Math.round(wanted) - given;
    given += sizeX;
    return { ...each, sizeX };
  });
}

/** The first place from the top where it overlaps nothing. */
export function firstFree({ sizeX, sizeY }: Pick<Place, "sizeX" | "sizeY">, taken: readonly Place[]): Place {
  // A free place begins at the top or right below something.
  const rows = [...new Set([1, ...taken.map(({ row, sizeY }) => row + sizeY)])].toSorted((a, b) => a - b);
  for (const row of rows) {
    for (let col = 1; col + sizeX - 1 <= COLUMNS; col++) {
      const place = { col, row, sizeX, sizeY };
      if (!taken.some((other) => overlaps(place, other))) return place;
    }
  }
  throw new Error("below the last row everything is free");
}

export function overlaps(a: Place, b: Place): boolean {
  const across = a.col < b.col + b.sizeX && b.col < a.col + a.sizeX;
  return across && a.row < b.row + b.sizeY && b.row < a.row + a.sizeY;
}

/**
 * Puts widgets at the places that are given. Two of these that overlap are an error; others that are in the way, or
 * have no place yet, take the first free one.
 */
export function arrange(all: readonly Placed[], given: ReadonlyMap<number, Place>): Map<number, Place> {
  const fixed = all.flatMap(({ id, name }) => {
    const place = given.get(id);
    return place === undefined ? [] : [{ id, name, place }];
  });
  for (const [i, one] of fixed.entries()) {
    assertInside(one);
    const other = fixed.slice(0, i).find(({ place }) => overlaps(place, one.place));
    if (other === undefined) continue;
    throw new AppError(
      "bad_request",
      `${nameOf(other)} and ${nameOf(one)} would overlap: ${inWords(other.place)}, and ${inWords(one.place)}.`,
      { hint: "Give each widget a place of its own; row and col count from 1." },
    );
  }
  const placed = new Map(fixed.map(({ id, place }) => [id, place]));
  for (const { id, place } of all) {
    if (placed.has(id) || place === null) continue;
    const taken = [...placed.values()];
    placed.set(id, taken.some((other) => overlaps(place, other)) ? firstFree(place, taken) : place);
  }
  return placed;
}

function assertInside({ id, name, place }: Placed & { place: Place }): void {
  if (place.col + place.sizeX - 1 <= COLUMNS) return;
  throw new AppError(
    "bad_request",
    `${nameOf({ id, name })} would reach beyond the ${COLUMNS} columns: ${inWords(place)}.`,
    { hint: `col + sizeX is at most ${COLUMNS + 1}.` },
  );
}

function nameOf({ id, name }: { id: number; name: string }): string {
  return id > 0 ? `${name} (${id})` : name;
}

function inWords({ col, row, sizeX, sizeY }: Place): string {
  return `columns ${col} to ${col + sizeX - 1}, rows ${row} to ${row + sizeY - 1}`;
}
