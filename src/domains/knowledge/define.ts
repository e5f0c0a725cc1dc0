import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { Answers } from "./answers/answers.ts";
import type { BasesStore } from "./bases.store.ts";
import type { DocumentsStore } from "./documents.store.ts";
import type { Downloads } from "./downloads.ts";
import type { Extractions } from "./extraction/extractions.ts";
import type { FoldersStore } from "./folders.store.ts";
import type { Knowledge } from "./knowledge.ts";
import type { KnowledgeLimits } from "./rate-limits.ts";
import type { Readings } from "./reading.job.ts";
import type { Uploads, UploadTickets } from "./uploads.ts";

/** Services that the tools of this slice work with. */
export interface KnowledgeServices {
  knowledge: Knowledge;
  bases: BasesStore;
  folders: FoldersStore;
  documents: DocumentsStore;
  readings: Readings;
  downloads: Downloads;
  uploads: Uploads;
  tickets: UploadTickets;
  answers: Answers;
  extractions: Extractions;
  knowledgeLimits: KnowledgeLimits;
}

export const defineTool = toolsOf<KnowledgeServices>();

/** The contract has its own words for what is wrong with an argument, and no text is taken for a number or a truth value. */
const saying = (name: string, kind: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? `${name} is required` : `${name} must be ${kind}`,
});

export function keyArgument(name: string) {
  return z.int(saying(name, "an integer")).min(1, { error: `${name} must be a positive integer` });
}

export function boundedArgument(name: string, min: number, max: number) {
  const error = `${name} must be between ${min} and ${max}`;
  return z.int(saying(name, "an integer")).min(min, { error }).max(max, { error });
}

export function offsetArgument(name: string) {
  return z.int(saying(name, "an integer")).min(0, { error: `${name} must be greater than or equal to 0` });
}

export function booleanArgument(name: string) {
  return z.boolean(saying(name, "a boolean"));
}

export function textArgument(name: string, max: number) {
  return z.string(saying(name, "a string")).max(max, { error: `${name} must be at most ${max} characters` });
}

export function wordArgument<const W extends string>(name: string, words: readonly W[]) {
  return z.enum(
    words,
    saying(
      name,
      words
        .slice(0, -1)
        .join(", ")
        .concat(" or ", words.at(-1) ?? ""),
    ),
  );
}

/** The key of a document on the bi endpoint, whose contract has texts; the number that tools return is taken as well. */
export const documentIdArgument = z.union([z.string().max(20), z.int()]);

export function documentKey(id: z.infer<typeof documentIdArgument>): number {
  const text = String(id);
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new AppError("not_found", `There is no document ${clip(text)}.`);
  return Number(text);
}
