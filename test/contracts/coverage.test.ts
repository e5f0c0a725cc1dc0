import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { agent } from "./agent.ts";
import { all } from "./all.ts";
import { bi } from "./bi.ts";
import { knowledge } from "./knowledge.ts";
import { memory } from "./memory.ts";
import { models } from "./models.ts";
import { oauth } from "./oauth.ts";

/**
 * A test cites what it proves at the beginning of its title: `it("[bi.health.public] …")`. What only a fixture of ours
 * shows, in the place of a tool that does not exist yet, is open and is not cited.
 */

const ROOT = resolve(import.meta.dirname, "../..");
const CONTRACTS = { bi, agent, memory, models, knowledge, all, oauth };
const ENTRIES = Object.values(CONTRACTS).flatMap((contract) => Object.entries(contract));
const PROMISES = ENTRIES.map(([id]) => id);
const OPEN = ENTRIES.flatMap(([id, promise]) => (typeof promise === "string" ? [] : [[id, promise.open]]));
const NAMES = Object.keys(CONTRACTS).join("|");
const CITATIONS = new RegExp(`["'\`]((?:\\[(?:${NAMES})\\.[a-z0-9.-]+\\] ?)+)`, "g");

const citations = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: ROOT }).flatMap((file) => {
  const text = readFileSync(resolve(ROOT, file), "utf8");
  const groups = [...text.matchAll(CITATIONS)].map((match) => match[1] as string);
  return groups.flatMap((group) =>
    [...group.matchAll(/\[([^\]]+)\]/g)].map(([, id]) => ({ file, id: id as string })),
  );
});

const cited = new Set(citations.map(({ id }) => id));

describe("the contracts", () => {
  it("have a test for every promise that is not open", () => {
    const open = new Set(OPEN.map(([id]) => id));
    expect(PROMISES.filter((id) => !open.has(id) && !cited.has(id))).toEqual([]);
  });

  it.each(OPEN)("%s is open, and cited by no test: %s", (id) => {
    expect(cited).not.toContain(id);
  });

  it("are cited by ids that exist", () => {
    const unknown = citations.filter(({ id }) => !PROMISES.includes(id));
    expect(unknown.map(({ id, file }) => `${file}: ${id}`)).toEqual([]);
  });

  it("name each promise once, in the contract of its endpoint", () => {
    const odd = Object.entries(CONTRACTS).flatMap(([surface, contract]) => {
      const source = readFileSync(resolve(import.meta.dirname, `${surface}.ts`), "utf8");
      return Object.keys(contract).filter(
        (id) => !id.startsWith(`${surface}.`) || source.split(`"${id}":`).length !== 2,
      );
    });
    expect(odd).toEqual([]);
  });
});
