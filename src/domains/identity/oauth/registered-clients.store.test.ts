import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestCatalog } from "../../../../test/support/database.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { RegisteredClients } from "./registered-clients.store.ts";

let catalog: Catalog;
let clients: RegisteredClients;

beforeAll(async () => {
  catalog = await openTestCatalog();
  clients = new RegisteredClients(catalog);
});
afterAll(() => catalog.close());

describe("registered OAuth clients", () => {
  it("are registered, listed and removed", async () => {
    const redirectUris = [
      "https://app.example.com/callback",
      "http://localhost/callback",
      "com.example.app:/back",
    ];
    const { clientId } = await clients.register({ name: "An app", redirectUris });
    expect(await clients.list()).toEqual([{ clientId, name: "An app", redirectUris }]);
    await clients.remove(clientId);
    expect(await clients.list()).toEqual([]);
    await expect(clients.remove(clientId)).rejects.toMatchObject({ code: "not_found" });
  });

  it.each([
    [[]],
    [["http://app.example.com/callback"]],
    [["https://user@app.example.com/"]],
    [["https://app.example.com/#fragment"]],
    [["javascript:alert(1)"]],
    [["data:text/html,hello"]],
    [["not a url"]],
  ])("refuse %j as redirects", async (redirectUris) => {
    await expect(clients.register({ name: "Bad", redirectUris })).rejects.toMatchObject({
      code: "bad_request",
    });
    expect(await clients.list()).toEqual([]);
  });
});
