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

/** A test cites what it proves at the beginning of its title: `it("[bi.health.public] …")`. */

const ROOT = resolve(import.meta.dirname, "../..");
const CONTRACTS = { bi, agent, memory, models, knowledge, all, oauth };
const PROMISES = Object.values(CONTRACTS).flatMap((contract) => Object.keys(contract));
const NAMES = Object.keys(CONTRACTS).join("|");
const CITATIONS = new RegExp(`["'\`]((?:\\[(?:${NAMES})\\.[a-z0-9.-]+\\] ?)+)`, "g");

const citations = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: ROOT }).flatMap((file) => {
  const text = readFileSync(resolve(ROOT, file), "utf8");
  const groups = [...text.matchAll(CITATIONS)].map((match) => match[1] as string);
  return groups.flatMap((group) =>
    [...group.matchAll(/\[([^\]]+)\]/g)].map(([, id]) => ({ file, id: id as string })),
  );
});

describe("the contracts", () => {
  it("have a test for every promise", () => {
    const cited = new Set(citations.map(({ id }) => id));
    expect(PROMISES.filter((id) => !cited.has(id))).toEqual([]);
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
