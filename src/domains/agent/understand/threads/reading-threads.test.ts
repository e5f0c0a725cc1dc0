import { expect, it } from "vitest";
import type { VisibleModel } from "../../../models/index.ts";
import { buildKnowledge } from "../../knowledge/build-knowledge.ts";
import { understand } from "../understand.ts";
import { ReadingThreads } from "./reading-threads.ts";

const AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const PLAIN = { description: null, label: null, dataType: null, distinctValues: [], sql: null, ai: AI };

/** Branches of a library with a name and a town. */
function libraryIn(...towns: string[]) {
  const model: VisibleModel = {
    id: "m",
    name: "library",
    version: 1,
    description: null,
    ai: AI,
    datasets: [
      {
        name: "branches",
        source: "branches",
        description: null,
        ai: AI,
        primaryKey: ["branch_id"],
        uniqueKeys: [],
        rowCount: null,
        fields: [
          { ...PLAIN, name: "branch_id", type: "BIGINT", isTime: null },
          { ...PLAIN, name: "branch_name", type: "VARCHAR", isTime: false },
          { ...PLAIN, name: "town", type: "VARCHAR", isTime: false },
        ],
      },
    ],
    relationships: [],
    metrics: [],
  };
  return buildKnowledge(model, [{ ds: "branches", field: "town", values: towns, isCut: false }]);
}

const reader = { scope: "1", signal: new AbortController().signal };
const at = { now: "2026-03-31", timeZone: "UTC" };

it("reads as the rules do, whichever model was asked about before", async () => {
  const threads = new ReadingThreads();
  const [south, north] = [libraryIn("Bonn", "Ulm"), libraryIn("Kiel", "Bremen")];
  for (const [knowledge, town] of [
    [south, "Bonn"],
    [north, "Kiel"],
    [south, "Ulm"],
  ] as const) {
    const question = { ...at, text: `how many branches in ${town}` };
    const read = await threads.read(question, knowledge, reader);
    expect(read.readings[0]?.ask).toMatchObject({ k: "table" });
    expect(read).toEqual(understand(question, knowledge));
  }
});

it("leaves the server free to do other things meanwhile", async () => {
  const threads = new ReadingThreads();
  const knowledge = libraryIn("Bonn", "Ulm");
  const text = "how many branches in Bonn or Ulm and ".repeat(5);
  const reading = threads.read({ ...at, text }, knowledge, reader).then(() => "read" as const);
  let turns = 0;
  const turn = () => new Promise<"turn">((resolve) => setImmediate(resolve, "turn"));
  while ((await Promise.race([reading, turn()])) === "turn") turns += 1;
  expect(turns).toBeGreaterThan(10);
});

it("stops when whoever asked goes away", async () => {
  const gone = AbortSignal.abort();
  const reading = new ReadingThreads().read({ ...at, text: "branches" }, libraryIn("Bonn"), {
    ...reader,
    signal: gone,
  });
  await expect(reading).rejects.toMatchObject({ code: "cancelled" });
});
