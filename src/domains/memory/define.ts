import { z } from "zod";
import type { Clock } from "../../kernel/time.ts";
import type { Retrieval } from "../../platform/retrieval/index.ts";
import { promptsOf } from "../../registry/define-prompt.ts";
import { resourcesOf } from "../../registry/define-resource.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { Hygiene } from "./hygiene.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { LIMITS } from "./limits.ts";
import type { MemoriesStore } from "./memories.store.ts";
import { MEMORY_TYPES, type MemoryType } from "./memory.tables.ts";
import type { Memory } from "./memory.ts";
import type { MemoryListStore } from "./memory-list.store.ts";
import type { MemoryFilter } from "./recall.ts";
import type { Relations } from "./relations.ts";
import type { RelationRules } from "./shapes/relation-rules.ts";

/** Services that the tools of this slice work with. */
export interface MemoryServices {
  memory: Memory;
  memories: MemoriesStore;
  relations: Relations;
  rules: RelationRules;
  lifecycle: Lifecycle;
  hygiene: Hygiene;
  memoryList: MemoryListStore;
  retrieval: Pick<Retrieval, "ping">;
  clock: Clock;
  version: string;
}

export const defineTool = toolsOf<MemoryServices>();
export const defineResource = resourcesOf<MemoryServices>();
export const definePrompt = promptsOf<MemoryServices>();

const { idCharacters, queryCharacters, hits, hops } = LIMITS.memory;

export const idArgument = z.string().min(1).max(idCharacters);
export const queryArgument = z.string().max(queryCharacters).describe("Natural-language question");
export const hitsArgument = z.int().min(1).max(hits).default(5).describe("Number of hits");
export const hopsArgument = z.int().min(0).max(hops).default(2).describe("How far relations are followed");
export const typeArgument = z
  .string()
  .regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/, {
    error: "rel_type must be in UPPER_SNAKE_CASE, such as FOR_CLIENT",
  })
  .max(100);

/** By what a recall or a list can be narrowed down. */
export const filterArguments = {
  memory_type: z.enum(MEMORY_TYPES).optional(),
  tags: z.array(z.string().max(LIMITS.memory.tagCharacters)).max(20).optional().describe("All of them"),
  source: z.string().max(LIMITS.memory.sourceCharacters).optional(),
  since: timeArgument("since").optional().describe("Recorded since then, ISO 8601"),
  before: timeArgument("before").optional(),
};

export function filterOf(args: {
  memory_type?: MemoryType | undefined;
  tags?: string[] | undefined;
  source?: string | undefined;
  since?: string | undefined;
  before?: string | undefined;
}): MemoryFilter {
  const { memory_type: type, tags, source, since, before } = args;
  const at = (text: string | undefined) => (text === undefined ? undefined : timeOf(text));
  return { type, tags, source, since: at(since), before: at(before) };
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/;
/** The same without signs between the numbers, and a month for its first day. */
const BASIC = /^(\d{4})(\d{2})(\d{2})(?:([Tt]\d{2})(\d{2})(\d{2}))?(?=$|[Zz+-])/;
const MONTH = /^\d{4}-\d{2}$/;
const ZONE = /(?:[Zz]|[+-]\d{2}:?\d{2})$/;

/** A point in time; a day begins at midnight, and a time without a zone is UTC. */
export function timeArgument(name: string) {
  return z
    .string()
    .max(40)
    .refine((text) => timeOf(text) !== undefined, {
      error: `${name} must be ISO 8601, such as 2026-03-14T00:00:00Z`,
    });
}

/** Undefined where it is no time, such as the 31st of February. */
export function timeOf(said: string): Date | undefined {
  const text = MONTH.test(said)
    ? `${said}-01`
    : said.replace(BASIC, (_, year, month, day, hour, minute, second) =>
        [`${year}-${month}-${day}`, ...(hour === undefined ? [] : [`${hour}:${minute}:${second}`])].join(""),
      );
  if (!ISO.test(text)) return undefined;
  const [day = ""] = text.split(/[Tt ]/);
  const hasTime = text.length > day.length;
  const time = new Date(hasTime && !ZONE.test(text) ? `${text.replace(" ", "T")}Z` : text.replace(" ", "T"));
  const isDay = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(time.getTime()) || Number.isNaN(isDay.getTime())) return undefined;
  return isDay.toISOString().startsWith(day) ? time : undefined;
}

/** Without thousandths where there are none. */
export function timeText(time: Date): string {
  return time.toISOString().replace(".000Z", "Z");
}

/** A memory without a title has its beginning for one. */
export function titleOf({ title, content }: { title: string | null; content: string }): string {
  if (title !== null) return title;
  const [line = ""] = content.trim().split("\n");
  return line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line;
}
