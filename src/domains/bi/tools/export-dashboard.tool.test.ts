import { spawnSync } from "node:child_process";
import { afterAll, expect, it } from "vitest";
import { needsPoppler } from "../../../../test/support/availability.ts";
import { startBoards } from "../../../../test/support/boards.ts";

const { server, viewer, stranger, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

interface Exported {
  url: string;
  bytes: number;
  pages: number;
  file_name: string;
}

it("makes a PDF with text, and a link that works for a while", async (context) => {
  needsPoppler(context);
  const { dashboard_id } = await make({ name: "Übersicht", settings: { locale: "de-DE" } });
  const file = await call<Exported>("export_dashboard", { dashboard_id }, viewer);
  expect(file).toMatchObject({ file_name: "Übersicht.pdf", mime_type: "application/pdf", pages: 1 });
  const fetched = await fetch(file.url);
  expect(fetched.headers.get("content-type")).toBe("application/pdf");
  const pdf = Buffer.from(await fetched.arrayBuffer());
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  const { stdout } = spawnSync("pdftotext", ["-", "-"], { input: pdf });
  expect(stdout.toString()).toMatch(/Übersicht[\s\S]*Revenue by region[\s\S]*1 ?\/ ?1/);
  expect((await fetch(`${file.url.slice(0, -20)}${"A".repeat(20)}`)).status).toBe(401);
});

it("takes names for text, whatever is in them, and cuts off what has no room", async (context) => {
  needsPoppler(context);
  const hostile = '#read("/etc/passwd") *x* $y$ @z';
  const long = `${"A title that goes on and on ".repeat(6)}END`;
  const { dashboard_id } = await make({
    name: `${hostile} #import "@preview/x:1.0.0"`,
    description: `${hostile} \\ #pagebreak()`,
    widgets: [hostile, long].map((name) => ({ name, dataset_id: datasetId, x_axis: "region" })),
  });
  const { url } = await call<Exported>("export_dashboard", { dashboard_id });
  const input = Buffer.from(await (await fetch(url)).arrayBuffer());
  const text = spawnSync("pdftotext", ["-layout", "-", "-"], { input }).stdout.toString();
  expect(text.split(hostile).length).toBeGreaterThanOrEqual(4);
  expect(text).toContain("A title that goes on and on");
  expect(text).toContain("…");
  expect(text).not.toMatch(/END|root:/);
});

it("tells of characters that no font of the server has", async () => {
  // For private use: no font has it.
  const { dashboard_id } = await make({ name: "Sign \u{F4321}" });
  const plain = await make({ name: "Größe ≥ 5 Київ" });
  for (const format of ["pdf", "png"]) {
    const told = await call<{ note?: string }>("export_dashboard", { dashboard_id, format });
    expect(told.note).toMatch(/boxes.*KENNING_FONT_FOLDERS/);
    const fine = await call("export_dashboard", { dashboard_id: plain.dashboard_id, format });
    expect(fine).not.toHaveProperty("note");
  }
});

it("exports widgets that are smaller than anything that can be drawn", async () => {
  const { dashboard_id, widgets } = await make();
  const tiny = widgets.map(({ widget_id }, i) => ({ widget_id, col: 1 + i, row: 1, sizeX: 1, sizeY: 1 }));
  await call("layout_dashboard", { dashboard_id, widgets: tiny });
  for (const format of ["pdf", "png"])
    expect(await call("export_dashboard", { dashboard_id, format })).toMatchObject({
      bytes: expect.any(Number),
    });
});

it("makes a PNG of a dashboard and of a widget, in both themes", async () => {
  const { dashboard_id, widgets } = await make();
  for (const target of [{ dashboard_id }, { widget_id: widgets[0]?.widget_id }]) {
    const { url, bytes } = await call<Exported>("export_dashboard", {
      ...target,
      format: "png",
      theme: "dark",
    });
    const png = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(bytes).toBeGreaterThan(5_000);
  }
});

it("shows what is broken without stopping the rest", async () => {
  const made = await make();
  await call("delete_asset", { asset_type: "dataset", asset_id: datasetId, confirm: true });
  expect(await call("export_dashboard", { dashboard_id: made.dashboard_id })).toMatchObject({ pages: 1 });
  await call("restore_asset", { asset_type: "dataset", asset_id: datasetId });
});

it("is refused for what is not theirs, and a link ends with its owner's rights", async () => {
  const { dashboard_id } = await make();
  await expect(call("export_dashboard", { dashboard_id }, stranger)).rejects.toThrow(/no dashboard/);
  await expect(call("export_dashboard", {})).rejects.toThrow(/One of dashboard_id or widget_id/);
  const { url } = await call<Exported>("export_dashboard", { dashboard_id }, viewer);
  await call("update_dashboard", { dashboard_id, access: { shared: "private" } });
  expect((await fetch(url)).status).toBe(404);
  expect((await server.request("/files/exports/nothing")).status).toBe(401);
});
