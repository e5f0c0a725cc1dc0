import { afterAll, beforeAll, expect, it } from "vitest";
import { callTool } from "../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { AppError } from "../../kernel/errors.ts";
import { localError } from "./local-advice.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  token = await server.token();
});
afterAll(() => server.stop());

async function failure(path: string, name: string, args: Record<string, unknown>): Promise<string> {
  const { result } = await callTool(server, token, name, args, path);
  expect(result?.isError).toBe(true);
  return result?.content[0]?.text ?? "";
}

it("names only tools that the surface has", async () => {
  expect(await failure("/mcp", "get_data", { dataset_id: 918273645 })).toContain("list_datasets");
  const text = await failure(BI, "knowi_get_data", { datasetId: 918273645 });
  expect(text).toMatch(/There is no dataset/);
  expect(text).not.toContain("list_datasets");
});

it("says the names that a surface has for its tools, and leaves out what it lacks", () => {
  const local = (hint: string) =>
    localError(new AppError("conflict", "No.", { hint, data: { a: 1 } }), server.app.registry, "bi");
  expect(local("See get_details. Or wait.").hint).toBe("See knowi_get_details. Or wait.");
  expect(local("Choose another name. create_query with replace: true changes it.").hint).toBe(
    "Choose another name.",
  );
  expect(local("restore_asset brings it back.")).toMatchObject({
    code: "conflict",
    message: "No.",
    hint: undefined,
    data: { a: 1 },
  });
});

it("leaves the words of /mcp alone", () => {
  const error = new AppError("conflict", "No.", { hint: "create_query with replace: true changes it." });
  expect(localError(error, server.app.registry, "all")).toBe(error);
});
