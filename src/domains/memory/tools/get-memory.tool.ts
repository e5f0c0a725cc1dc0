import { z } from "zod";
import { defineTool, idArgument, timeText, titleOf } from "../define.ts";

const time = (date: Date | null) => (date === null ? null : timeText(date));

/** Shows all that is known of one memory, also what it said before. */
export const getMemory = defineTool({
  name: "get_memory",
  toolset: "curation",
  title: "Get memory",
  description:
    "One memory with its history: every version, who recorded it and why, when its end became known, and whether it was retracted.",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({ memory_id: idArgument.describe("Id of any of its versions") }),
  output: z.object({
    memory_id: z.string().describe("Of its present version"),
    title: z.string(),
    content: z.string(),
    memory_type: z.string(),
    tags: z.array(z.string()),
    source: z.string().nullable(),
    created_at: z.string(),
    created_by: z.string().nullable(),
    pinned: z.boolean(),
    retracted_at: z.string().nullable(),
    retraction_reason: z.string().nullable(),
    recalls: z.int(),
    last_recalled_at: z.string().nullable(),
    versions: z.array(
      z.object({
        memory_id: z.string(),
        title: z.string(),
        content: z.string(),
        valid_from: z.string(),
        valid_to: z.string().nullable(),
        recorded_at: z.string(),
        recorded_by: z.string().nullable(),
        superseded_at: z.string().nullable(),
        update_reason: z.string().nullable(),
        ends: z.array(
          z.object({
            recorded_at: z.string(),
            valid_to: z.string().nullable(),
            way: z.string(),
            reason: z.string().nullable(),
          }),
        ),
      }),
    ),
  }),

  async run({ memory_id }, { memoryList, caller }) {
    const memory = await memoryList.get(caller.workspace.id, memory_id);
    return {
      memory_id: memory.key,
      title: titleOf(memory),
      content: memory.content,
      memory_type: memory.type,
      tags: memory.tags,
      source: memory.source,
      created_at: timeText(memory.createdAt),
      created_by: memory.createdBy,
      pinned: memory.isPinned,
      retracted_at: time(memory.retractedAt),
      retraction_reason: memory.retractionReason,
      recalls: memory.recalls,
      last_recalled_at: time(memory.lastRecalledAt),
      versions: memory.versions.map((version) => ({
        memory_id: version.key,
        title: titleOf(version),
        content: version.content,
        valid_from: timeText(version.validFrom),
        valid_to: time(version.validTo),
        recorded_at: timeText(version.recordedAt),
        recorded_by: version.recordedBy,
        superseded_at: time(version.supersededAt),
        update_reason: version.updateReason,
        ends: version.ends.map(({ recordedAt, validTo, way, reason }) => ({
          recorded_at: recordedAt,
          valid_to: validTo,
          way,
          reason,
        })),
      })),
    };
  },
});
