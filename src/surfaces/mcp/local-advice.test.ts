import { expect, it } from "vitest";
import { callTool } from "../../../test/support/mcp.ts";
import { serverOfFile } from "../../../test/support/server.ts";
import { AppError } from "../../kernel/errors.ts";
import type { SurfaceName } from "../../registry/caller.ts";
import { localError, localText } from "./server-factory.ts";

const BI = "/api/2.0/mcp";
const server = await serverOfFile();
const token = await server.token();

async function failure(path: string, name: string, args: Record<string, unknown>): Promise<string> {
  const { result } = await callTool(server, token, name, args, path);
  expect(result?.isError).toBe(true);
  return result?.content[0]?.text ?? "";
}

const local = (hint: string, surface: SurfaceName = "bi") =>
  localError(new AppError("conflict", "No.", { hint, data: { a: 1 } }), server.app.registry, surface);

it("names only tools that the surface has", async () => {
  expect(await failure("/mcp", "get_data", { dataset_id: 918273645 })).toContain(" list_datasets shows");
  const text = await failure(BI, "knowi_get_data", { datasetId: 918273645 });
  expect(text).toMatch(/There is no dataset/);
  expect(text).not.toContain("list_datasets");
});

it("says the names that a surface has for its tools, and leaves out what it lacks", () => {
  expect(local("See {tool:get_details}. Or wait.").hint).toBe("See knowi_get_details. Or wait.");
  expect(local("Choose another name. {tool:create_query(replace)} with replace: true changes it.").hint).toBe(
    "Choose another name.",
  );
  expect(local("{tool:restore_asset} brings it back.")).toMatchObject({
    code: "conflict",
    message: "No.",
    hint: undefined,
    data: { a: 1 },
  });
});

it("leaves words alone that happen to be names of tools", () => {
  const hint = "Wait for the run, or run it again. get_details";
  expect(local(hint).hint).toBe(hint);
});

it("says the plain names on /mcp, and to whoever is on no surface", () => {
  const hint = "{tool:create_query(replace)} with replace: true changes it.";
  const plain = "create_query with replace: true changes it.";
  expect(local(hint, "all").hint).toBe(plain);
  expect(new AppError("conflict", "No.", { hint }).advice).toBe(`No. ${plain}`);
});

it("tells in a result where a tool is that the surface lacks", () => {
  const text = "{tool:get_data(offset)} goes on, {tool:export_data} makes a file.";
  expect(localText(text, server.app.registry, "bi")).toBe(
    "get_data of /mcp goes on, knowi_export_csv makes a file.",
  );
  expect(localText(text, server.app.registry, "all")).toBe("get_data goes on, export_data makes a file.");
});
