import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, viewer, stranger, call, make, stop } = await startBoards();
afterAll(stop);

it("ends a link for good", async () => {
  const { dashboard_id } = await make();
  const { embed_id, url } = await call<{ embed_id: number; url: string }>("get_embed_url", { dashboard_id });
  const { pathname, hash } = new URL(url);
  const view = async () =>
    (
      await server.request(`${pathname}/view`, {
        method: "POST",
        headers: { "x-embed-secret": hash.slice(1) },
        body: "",
      })
    ).status;
  expect(await view()).toBe(200);
  const other = await server.token({ role: "contributor" });
  for (const token of [other, stranger])
    await expect(call("revoke_embed", { embed_id }, token)).rejects.toThrow(/no embed/);
  expect(await refusalsOf(server, viewer, "revoke_embed", { embed_id })).toMatchObject({ anonymous: 401 });
  expect(await call("revoke_embed", { embed_id })).toEqual({ revoked: true, embed_id });
  expect(await view()).toBe(404);
  expect(await call("list_embeds", {})).toEqual({ embeds: [] });
  const page = await server.request(pathname);
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
});
