import { expect, it } from "vitest";
import { clientGuides } from "./client-guides.ts";

const guidesAt = (address: string) => new Map(clientGuides(address).map((guide) => [guide.id, guide]));

it.each(["https://kenning.example.com/mcp", "http://localhost:8319/mcp"])(
  "tells every client of %s",
  (address) => {
    for (const { id, snippet } of clientGuides(address)) expect(snippet, id).toContain(address);
    const guides = guidesAt(address);
    expect(JSON.parse(guides.get("other")?.snippet ?? "")).toEqual({
      mcpServers: {
        kenning: { type: "http", url: address, headers: { Authorization: "Bearer YOUR_TOKEN" } },
      },
    });
    expect(JSON.parse(guides.get("vs-code")?.snippet ?? "")).toEqual({
      servers: { kenning: { type: "http", url: address } },
    });
    const vsCode = new URL(guides.get("vs-code")?.install?.href ?? "");
    expect(vsCode.protocol + vsCode.pathname).toBe("vscode:mcp/install");
    expect(JSON.parse(decodeURIComponent(vsCode.search.slice(1)))).toEqual({
      name: "kenning",
      type: "http",
      url: address,
    });
    const cursor = new URL(guides.get("cursor")?.install?.href ?? "").searchParams;
    expect(cursor.get("name")).toBe("kenning");
    expect(JSON.parse(Buffer.from(cursor.get("config") ?? "", "base64").toString())).toEqual({
      url: address,
    });
  },
);

it.each([
  ["https://kenning.example.com/mcp", true, "https://kenning.example.com/mcp"],
  ["http://localhost:8319/mcp", false, '"http://localhost:8319/mcp"\n'],
  ["https://localhost/mcp", false, '"https://localhost/mcp"\n'],
  ["http://10.0.0.7:8319/mcp", false, '"--allow-http"'],
])("knows whether clients in the cloud can reach %s", (address, isPublic, claude) => {
  const guides = guidesAt(address);
  expect(guides.get("chatgpt")?.warning === undefined).toBe(isPublic);
  expect(guides.get("claude")?.snippet).toContain(claude);
});
