import { afterAll, describe, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";

const { datasetId, viewer, editor, stranger, call, make, stop } = await startBoards();
afterAll(stop);

interface Preview {
  title: string;
  kind: string;
  light: string | null;
  dark: string | null;
  table: { columns: string[]; rows: unknown[][]; row_count: number } | null;
  text: string | null;
}

const size = { width: 400, height: 240 };
const preview = (args: object, who = editor) => call<Preview>("preview_widget", { ...size, ...args }, who);

describe("preview_widget", () => {
  it("draws a widget in both themes, for whoever may see it", async () => {
    const { widgets } = await make();
    const shown = await preview({ widget_id: widgets[0]?.widget_id }, viewer);
    // A model is told that there is a picture; the text of it is for pages.
    const picture = { kind: "picture", table: null, light: null, dark: null };
    expect(shown).toMatchObject({ title: "Revenue by region", ...picture });
    await expect(preview({ widget_id: widgets[0]?.widget_id }, stranger)).rejects.toThrow(/no widget/i);
  });

  it("shows one that nobody has kept, and keeps nothing of it", async () => {
    const draft = { name: "Draft", dataset_id: datasetId, x_axis: "product", y_axis: ["units"] };
    expect(await preview({ draft })).toMatchObject({ title: "Draft", kind: "picture" });
    const table = await preview({ draft: { ...draft, chart_type: "datagrid2" } });
    expect(table).toMatchObject({ kind: "table", table: { row_count: expect.any(Number) } });
    expect(await call("find_widget", { name: "Draft" })).toMatchObject({ total: 0 });
    expect(await preview({ draft }, stranger)).toMatchObject({ kind: "error", light: null });
  });

  it("says what is wrong with a draft in its place", async () => {
    const draft = { dataset_id: datasetId, x_axis: "no such field", y_axis: ["units"] };
    const { kind, text } = await preview({ draft });
    expect([kind, text]).toEqual(["error", expect.stringContaining("no such field")]);
    await expect(preview({})).rejects.toThrow(/nothing to preview/);
  });
});
