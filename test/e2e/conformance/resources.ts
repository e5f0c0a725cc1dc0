import { type ResourceContent, resourcesOf } from "../../../src/registry/define-resource.ts";
import { PNG } from "./samples.ts";

const defineResource = resourcesOf<object>();

const fixed = (uri: string, content: ResourceContent) =>
  defineResource({
    uri: { all: uri },
    name: uri.slice("test://".length),
    title: uri,
    description: "Always the same.",
    mimeType: content.mimeType,
    permission: null,
    read: async () => content,
  });

export const resources = [
  fixed("test://static-text", {
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  }),
  fixed("test://static-binary", { mimeType: "image/png", blob: PNG }),
  fixed("test://watched-resource", { mimeType: "text/plain", text: "Watched resource content" }),
  defineResource({
    uri: { all: "test://template/{id}/data" },
    name: "template",
    title: "Template",
    description: "Data of one id.",
    mimeType: "application/json",
    permission: null,
    read: async ({ id }) => ({
      mimeType: "application/json",
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    }),
  }),
];
