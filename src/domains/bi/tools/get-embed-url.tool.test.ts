import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, admin, editor, viewer, call, make, stop } = await startBoards();
afterAll(stop);

interface Embedded {
  url: string;
  embed_id: number;
}

const view = async (url: string, headers: Record<string, string> = {}) => {
  const { pathname, hash } = new URL(url);
  const response = await server.request(`${pathname}/view`, {
    method: "POST",
    body: "width=1200",
    headers: { "x-embed-secret": hash.slice(1), ...headers },
  });
  return { status: response.status, text: await response.text() };
};

it("gives a link that shows the dashboard to whoever has its secret, and to nobody else", async () => {
  const { dashboard_id } = await make();
  const { url } = await call<Embedded>("get_embed_url", { dashboard_id });
  expect(url).toMatch(/\/embed\/[\w-]{16}#[\w-]{43}$/);
  const page = await server.request(new URL(url).pathname);
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors *");
  expect(page.headers.get("x-frame-options")).toBeNull();
  expect(await page.text()).not.toContain("Revenue");
  expect(await view(url)).toMatchObject({ status: 200, text: expect.stringContaining("Revenue by region") });
  expect(await view(url, { "x-embed-secret": "x".repeat(43) })).toMatchObject({ status: 404 });
  expect(await view(url.replace(/embed\/.{16}/, `embed/${"x".repeat(16)}`))).toMatchObject({ status: 404 });
});

it("keeps to the pages that may show it", async () => {
  const { widgets } = await make();
  const origins = ["https://intranet.example/path"];
  const { url } = await call<Embedded>("get_embed_url", { widget_id: widgets[0]?.widget_id, origins });
  const page = await server.request(new URL(url).pathname);
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors https://intranet.example");
  const shown = await view(url);
  expect(shown.text).toContain("Revenue by region");
  expect(shown.text).not.toContain("Units");
  await expect(
    call("get_embed_url", { widget_id: widgets[0]?.widget_id, origins: ["evil"] }),
  ).rejects.toThrow(/no origin/);
});

it("tells people without an account nothing of ids and tools when data is gone", async () => {
  const dataset_id = await makeDataset(server, editor, "Short-lived", [{ a: "x", n: 1 }]);
  const { widget_id } = await call<{ widget_id: number }>("create_widget", {
    name: "Gone",
    dataset_id,
    x_axis: "a",
    y_axis: ["n"],
  });
  const { url } = await call<Embedded>("get_embed_url", { widget_id });
  await call("delete_asset", { asset_type: "dataset", asset_id: dataset_id, confirm: true }, admin);
  const { text } = await view(url);
  expect(text).toContain("The data behind this chart is no longer there.");
  expect(text).not.toMatch(/list_datasets|dataset with id|Restore/);
});

it("is for those who may write, for one thing at a time", async () => {
  const { dashboard_id, widgets } = await make();
  expect(await refusalsOf(server, viewer, "get_embed_url", { dashboard_id })).toMatchObject({
    anonymous: 401,
    wrong: expect.stringMatching(/bi:write/),
  });
  await expect(call("get_embed_url", {})).rejects.toThrow(/One of/);
  for (const tool of ["knowi_get_embed_url", "knowi_export_pdf"])
    await expect(resultOf(server, editor, tool, {}, "/api/2.0/mcp")).rejects.toThrow(
      /One of dashboardId or widgetId is required/,
    );
  await expect(call("get_embed_url", { dashboard_id, widget_id: widgets[0]?.widget_id })).rejects.toThrow(
    /only one/,
  );
});
