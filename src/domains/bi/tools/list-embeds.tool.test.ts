import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";

const { server, admin, viewer, stranger, call, make, stop } = await startBoards();
afterAll(stop);

it("lists links that work, without their secrets: one's own, or all for admins", async () => {
  const { dashboard_id } = await make();
  const { embed_id, url } = await call<{ embed_id: number; url: string }>("get_embed_url", {
    dashboard_id,
    expires_in_days: 1,
  });
  const mine = await call<{ embeds: object[] }>("list_embeds", {});
  expect(mine.embeds).toMatchObject([{ embed_id, dashboard_id, last_used_at: null }]);
  expect(JSON.stringify(mine)).not.toContain(new URL(url).hash.slice(1));
  expect(await call("list_embeds", {}, admin)).toMatchObject({ embeds: [{ embed_id }] });
  expect(await call("list_embeds", {}, viewer)).toEqual({ embeds: [] });
  expect(await call("list_embeds", {}, stranger)).toEqual({ embeds: [] });
  const { pathname, hash } = new URL(url);
  await server.request(`${pathname}/view`, {
    method: "POST",
    headers: { "x-embed-secret": hash.slice(1) },
    body: "",
  });
  expect(await call("list_embeds", {})).toMatchObject({ embeds: [{ last_used_at: expect.any(String) }] });
});
