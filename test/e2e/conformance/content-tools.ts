import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../../src/kernel/errors.ts";
import { type ContentBlock, toolsOf } from "../../../src/registry/define-tool.ts";
import { PNG, WAV } from "./samples.ts";

/** Tools that answer by themselves: every kind of content, progress, logs, errors, schemas. */

const defineTool = toolsOf<object>();
const base = {
  toolset: "system",
  permission: null,
  effect: "read",
  input: z.strictObject({}),
  output: z.object({}),
} as const;

const PAUSE_MS = 50;
const image = { type: "image", data: PNG, mimeType: "image/png" };

const shows = (name: string, content: ContentBlock[]) =>
  defineTool({
    ...base,
    name,
    title: name,
    description: `Answers with ${content.map(({ type }) => type).join(", ")}.`,
    content: () => content,
    run: async () => ({}),
  });

const logs = (name: string, pauseMs: number) =>
  defineTool({
    ...base,
    name,
    title: name,
    description: "Writes three lines to its client's log.",
    run: async (_input, { client }) => {
      client.log("info", "Tool execution started");
      await sleep(pauseMs);
      client.log("info", "Tool processing data");
      await sleep(pauseMs);
      client.log("info", "Tool execution completed");
      return {};
    },
  });

const address = z
  .object({ street: z.string().optional(), city: z.string().optional() })
  .meta({ id: "address", $anchor: "addressDef" });

/** Words of JSON Schema that zod does not write by itself come through as metadata. */
const contact = z
  .strictObject({
    name: z.string().optional(),
    address: address.optional(),
    contactMethod: z.enum(["phone", "email"]).optional(),
    phone: z.string().optional(),
    email: z.string().optional(),
  })
  .meta({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
    then: { required: ["phone"] },
    else: { required: ["email"] },
  });

export const contentTools = [
  shows("test_simple_text", [{ type: "text", text: "This is a simple text response for testing." }]),
  shows("test_image_content", [image]),
  shows("test_audio_content", [{ type: "audio", data: WAV, mimeType: "audio/wav" }]),
  shows("test_embedded_resource", [
    {
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    },
  ]),
  shows("test_multiple_content_types", [
    { type: "text", text: "Multiple content types test:" },
    image,
    {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      },
    },
  ]),
  logs("test_tool_with_logging", PAUSE_MS),
  // The suite gives this one half a second in all.
  logs("test_logging_tool", 0),
  defineTool({
    ...base,
    name: "test_tool_with_progress",
    title: "Progress",
    description: "Reports its progress in three steps.",
    run: async (_input, { client }) => {
      client.progress(0, { total: 100 });
      await sleep(PAUSE_MS);
      client.progress(50, { total: 100 });
      await sleep(PAUSE_MS);
      client.progress(100, { total: 100 });
      return {};
    },
  }),
  defineTool({
    ...base,
    name: "test_error_handling",
    title: "Error",
    description: "Always fails.",
    run: async () => {
      throw new AppError("conflict", "This tool intentionally returns an error for testing");
    },
  }),
  defineTool({
    ...base,
    name: "json_schema_2020_12_tool",
    title: "Schema",
    description: "Takes arguments whose schema needs the newer words of JSON Schema.",
    input: contact,
    run: async () => ({}),
  }),
];
