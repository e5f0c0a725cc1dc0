import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type DateFound, type DateWindow, readDates } from "../src/domains/agent/dates/read-dates.ts";

/**
 * How many of the date ranges in a file are read as it expects. Each line has text, reference (the time of asking)
 * and ranges, the accepted [start, end) pairs. A third by hash is for judging only: its misses are not shown.
 */
interface Case {
  text: string;
  reference: string;
  ranges: [string | null, string | null][];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { misses: { type: "boolean", default: false } },
});
const [path] = positionals;
if (path === undefined) {
  console.error("Name the file: npm run bench -- dates PATH/ranges.jsonl [--misses]");
  process.exit(2);
}

const cases = readFileSync(path, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case);

const tally = { seen: { right: 0, all: 0 }, unseen: { right: 0, all: 0 } };
const started = process.cpuUsage();
for (const each of cases) {
  const found = windowsOf(read(each));
  const right = found.length === 1 && each.ranges.some(([from, to]) => same(found[0], { from, to }));
  const part = isUnseen(each) ? "unseen" : "seen";
  tally[part].all += 1;
  if (right) tally[part].right += 1;
  else if (values.misses && part === "seen")
    console.log(
      `${each.reference.slice(0, 10)} ${each.text}\n  wanted ${each.ranges.map(show).join(" or ")}\n  found  ${found.map(({ from, to }) => show([from, to])).join(" and ")}`,
    );
}
const cpu = process.cpuUsage(started);
for (const [part, { right, all }] of Object.entries(tally))
  console.log(`${part}: ${right} of ${all} (${((100 * right) / all).toFixed(1)} %)`);
console.log(`${((cpu.user + cpu.system) / 1000 / cases.length).toFixed(2)} ms of CPU a text`);

function read({ text, reference }: Case): DateFound[] {
  return readDates(text, {
    now: reference,
    timeZone: "UTC",
    weekStart: "monday",
    fiscalStart: { month: 1, day: 1, namedAfter: "start" },
    style: "recognizers",
  });
}

/** What a caller would take: latent windows only where there are no others. */
function windowsOf(found: readonly DateFound[]): DateWindow[] {
  const named = found.filter((each) => "window" in each && !("shift" in each));
  const sure = named.filter((each) => !("latent" in each));
  const windows = (sure.length > 0 ? sure : named).flatMap((each) => ("window" in each ? [each.window] : []));
  return windows.filter((window, i) => windows.findIndex((other) => same(window, other)) === i);
}

function same(one: DateWindow | undefined, two: DateWindow): boolean {
  return one?.from === two.from && one?.to === two.to;
}

function show([from, to]: [string | null, string | null]): string {
  return `${from}..${to}`;
}

function isUnseen({ text, reference }: Case): boolean {
  const hash = createHash("sha256").update(`${text}|${reference}`).digest("hex");
  return Number.parseInt(hash.slice(0, 8), 16) % 3 === 0;
}
