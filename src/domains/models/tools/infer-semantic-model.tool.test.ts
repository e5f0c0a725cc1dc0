import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { refusalsOf, saveModel, textOf } from "../../../../test/support/models.ts";
import { CAFE_ROWS } from "../../../../test/support/questions.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

interface Inferred {
  name: string;
  asset_id: number;
  digest: string;
  draft: { saved_at: string };
  note?: string;
  guesses: { about: string; guess: string; sure: string; why: string }[];
  problems: { severity: string }[];
}

let server: TestServer;
let admin: string;
let contributor: string;
const ids: Record<string, number> = {};

beforeAll(async () => {
  server = await startTestServer();
  admin = await server.token();
  contributor = await server.token({ role: "contributor" });
  for (const [name, rows] of Object.entries(CAFE_ROWS)) {
    ids[name] = await makeDataset(server, admin, name, rows);
  }
});
afterAll(() => server.stop());

const infer = (args: object, token = contributor) =>
  resultOf<Inferred>(server, token, "infer_semantic_model", { name: "guessed", ...args });
const source = async (modelName: string) =>
  (
    await resultOf<{ source: string }>(server, admin, "read_semantic_model", {
      modelName,
      version: "draft",
    })
  ).source;

describe("infer_semantic_model", () => {
  it("makes a draft with keys, joins, dates and metrics, and says how sure it is", async () => {
    const { digest, guesses, problems, draft } = await infer({});
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(draft.saved_at).toBeDefined();
    expect(guesses).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ about: "datasets.shops", guess: "key: shop_id", sure: "sure" }),
        expect.objectContaining({ guess: "visits.shop_id → shops.shop_id", sure: "sure" }),
        expect.objectContaining({ guess: "items.visit_id → visits.visit_id", sure: "sure" }),
        expect.objectContaining({ guess: "shops.region_id → regions.region_id", sure: "sure" }),
      ]),
    );
    expect(digest).toContain("visits.shop_id");
    expect(digest).toContain("total_tip");
    expect(digest).not.toContain("total_shop_id");
    expect(await source("guessed")).toMatch(/name: visited_on[\s\S]{0,200}is_time: true/);
  });

  it("can be published as it is, and answers", async () => {
    await infer({ name: "first" });
    await resultOf(server, contributor, "publish_semantic_model", { modelName: "first" });
    const { rows } = await resultOf<{ rows: unknown[][] }>(server, contributor, "ask_question", {
      model: "first",
      question: "total tip by shop",
    });
    expect(rows).toEqual(
      expect.arrayContaining([
        ["Drip", 4],
        ["Bean", 2],
        ["Aroma", 1],
      ]),
    );
  });

  it("takes only the datasets that are named, and names those that there are not", async () => {
    const { digest } = await infer({ name: "some", datasets: ["shops", "REGIONS"] });
    expect(digest).not.toContain("guests");
    const missing = await callTool(server, contributor, "infer_semantic_model", {
      name: "x",
      datasets: ["nowhere"],
    });
    expect(textOf(missing)).toMatch(/There is no dataset "nowhere"/);
  });

  it("reads names of all styles, follows roles, and joins only what has the same values", async () => {
    const workspace = "styles";
    await server.app.identity.workspaces.create({ slug: workspace, name: "Styles" });
    const token = await server.token({ workspace });
    const people = [
      { EmployeeID: 1, FirstName: "Ada", LastName: "Ito", birthdate: "1980-01-01", HireDate: "2010-02-03" },
      { EmployeeID: 2, FirstName: "Bo", LastName: "Ek", birthdate: "1990-01-01", HireDate: "2012-02-03" },
      { EmployeeID: 3, FirstName: "Cy", LastName: "Ek", birthdate: "1991-01-01", HireDate: "2012-02-03" },
    ].map((row, i) => ({ ...row, ManagerID: i === 0 ? null : 1 }));
    const clients = [11, 12].map((id) => ({ "Client No": id, "Client Name": `C${id}`, SupportRepId: 2 }));
    const sales = [
      { Client: 11, SoldOn: "2025-01-01", Qty: 2, UnitPrice: 3.5 },
      { Client: 12, SoldOn: "2025-01-01", Qty: 2, UnitPrice: 3.5 },
      { Client: 12, SoldOn: "2025-01-01", Qty: 2, UnitPrice: 3.5 },
    ];
    const badges = [{ badge_id: 1, client_no: 77 }];
    for (const [name, rows] of Object.entries({
      Employees: people,
      tbl_clients: clients,
      FactSales: sales,
      badges,
    }))
      await makeDataset(server, token, name, rows);
    const { guesses } = await infer({ name: "styles" }, token);
    const said = guesses.map(({ guess, sure }) => `${guess} (${sure})`);
    expect(said.toSorted()).toEqual(
      [
        'SUM("fact_sales"."qty" * "fact_sales"."unit_price") (guess)',
        "date: hire_date (likely)",
        "employees.manager_id → employees.employee_id (likely)",
        "fact_sales.client → tbl_clients.client_no (sure)",
        "key: badge_id (sure)",
        "key: client_no (likely)",
        "key: employee_id (sure)",
        "no key: rows are numbered (guess)",
        "tbl_clients.support_rep_id → employees.employee_id (guess)",
      ].toSorted(),
    );
    await resultOf(server, token, "publish_semantic_model", { modelName: "styles" });
    const ask = async (question: string) =>
      (await resultOf<{ rows: unknown[][] }>(server, token, "ask_question", { question })).rows;
    expect(await ask("total revenue by client")).toEqual(
      expect.arrayContaining([
        ["C12", 14],
        ["C11", 7],
      ]),
    );
    expect(await ask("how many sales were there in January 2025")).toEqual([[3]]);
  });

  describe("of tables as people bring them", () => {
    let token: string;
    const ask = (model: string, question: string, more: object = {}) =>
      resultOf<{ id: string; outcome: string; rows: unknown[][]; narrative: string; caveats: string[] }>(
        server,
        token,
        "ask_question",
        { model, question, ...more },
      );

    beforeAll(async () => {
      const workspace = "brought";
      await server.app.identity.workspaces.create({ slug: workspace, name: "Brought" });
      token = await server.token({ workspace });
      const strikes = Array.from({ length: 60 }, (_, i) => ({
        "Airport Name": i % 6 === 5 ? null : i % 2 === 0 ? "DALLAS/FORT WORTH" : "O'HARE",
        "Wildlife Species": i % 3 === 0 ? "Gull" : "Goose-grey",
        "Cost Total": 100 + (i % 4),
        "Cost Repair": 10,
        Horsepower: 100 + (i % 5),
        Warned: i % 4 === 0 ? 1 : 0,
      }));
      const seattle = Array.from({ length: 40 }, (_, i) => ({
        date: new Date(Date.UTC(2014, 0, 1 + i)).toISOString().slice(0, 10),
        temp_max: 10 + (i % 7),
        temp_min: i % 7,
        weather: i % 2 === 0 ? "rain" : "sun",
      }));
      const nations = ["Japan", "Peru", "Mali"].flatMap((country, c) =>
        Array.from({ length: 11 }, (_, i) => ({
          country,
          year: 1955 + i * 5,
          pop: 1000 * (c + 1) + i,
          life_expect: 60 + c + i / 10,
          cluster: c,
        })),
      );
      const airports = Array.from({ length: 12 }, (_, i) => ({
        iata: `A${String.fromCharCode(65 + i)}X`,
        city: i < 6 ? "Oslo" : "Rome",
      }));
      const flights = Array.from({ length: 60 }, (_, i) => ({
        date: `2001-01-0${1 + (i % 9)}`,
        delay: i % 10,
        origin: airports[i % 12]?.iata,
        destination: airports[i % 5 === 0 ? 0 : (i * 7) % 12]?.iata,
      }));
      for (const [name, rows] of Object.entries({ airports, flights }))
        await makeDataset(server, token, name, rows);
      await infer({ name: "air", datasets: ["airports", "flights"] }, token);
      await resultOf(server, token, "publish_semantic_model", { modelName: "air" });
      for (const [name, rows] of Object.entries({ strikes, seattle, nations })) {
        await makeDataset(server, token, name, rows);
        await infer({ name, datasets: [name] }, token);
        await resultOf(server, token, "publish_semantic_model", { modelName: name });
      }
    });

    it("adds up what adds up, and averages what does not", async () => {
      const { digest, guesses } = await infer({ name: "nations", datasets: ["nations"] }, token);
      expect(guesses).toMatchObject([{ guess: "key: country, year" }]);
      expect(digest).not.toMatch(/total_(life_expect|cluster)/);
      expect((await ask("nations", "Life expectancy of Japan")).rows).toEqual([[expect.closeTo(60.5)]]);
      expect((await ask("nations", "Life expectancy of Japan in 1960")).rows).toEqual([
        [expect.closeTo(60.1)],
      ]);
      expect((await ask("nations", "population of Peru in 1955")).rows).toEqual([[2000]]);
      expect((await ask("nations", "total population in 1955")).rows).toEqual([[6000]]);
      expect((await ask("strikes", "horsepower by wildlife species")).rows).toEqual(
        expect.arrayContaining([["Gull", expect.closeTo(102)]]),
      );
    });

    it("takes columns that are called by words of SQL", async () => {
      const plays = Array.from({ length: 30 }, (_, i) => ({
        cast: i % 3 === 0 ? "NA" : ` ${i % 2 === 0 ? "Small ensemble" : "large ensemble"}`,
        order: i,
        "group by": i % 2 === 0 ? "matinee show" : "Evening show",
      }));
      await makeDataset(server, token, "plays", plays);
      await infer({ name: "plays", datasets: ["plays"] }, token);
      await resultOf(server, token, "publish_semantic_model", { modelName: "plays" });
      expect((await ask("plays", "number of rows by cast")).rows).toEqual(
        expect.arrayContaining([["Small ensemble", 10]]),
      );
    });

    it("groups by a name that many rows have, and by no number of rows", async () => {
      const top = await ask("strikes", "top 2 airports by number of strikes");
      expect(top.rows).toEqual([
        ["DALLAS/FORT WORTH", 30],
        ["O'HARE", 20],
      ]);
      expect(top.caveats).toEqual(["10 of 60 strikes have no airport name."]);
      const { rows, narrative } = await ask("strikes", "number of strikes by airport name");
      expect(rows).toEqual(expect.arrayContaining([[null, 10]]));
      expect(narrative).toContain("**DALLAS/FORT WORTH** is highest");
      expect((await ask("strikes", "how many strikes at airport DALLAS/FORT WORTH")).rows).toEqual([[30]]);
      expect((await ask("strikes", "how many strikes of Goose-grey")).rows).toEqual([[40]]);
      expect((await ask("strikes", "how many strikes were warned")).rows).toEqual([[15]]);
    });

    it("asks which of two is meant where a name is that of both", async () => {
      expect(await ask("seattle", "average temperature")).toMatchObject({ outcome: "clarify" });
      expect(await ask("strikes", "average cost by wildlife species")).toMatchObject({ outcome: "clarify" });
      expect((await ask("strikes", "total cost")).rows).toEqual([[6090]]);
      expect((await ask("seattle", "how many days with weather rain")).rows).toEqual([[20]]);
    });

    it("joins codes by their values, whatever they are called", async () => {
      const { guesses } = await infer({ name: "air2", datasets: ["airports", "flights"] }, token);
      expect(guesses.map(({ guess }) => guess)).toEqual(
        expect.arrayContaining(["flights.origin → airports.iata", "flights.destination → airports.iata"]),
      );
      expect(await ask("air", "number of flights by city")).toMatchObject({ outcome: "clarify" });
      const [from, to, named] = await Promise.all(
        [
          "how many flights from Rome",
          "how many flights to Rome",
          "number of flights by destination city",
        ].map(async (question) => (await ask("air", question)).rows),
      );
      expect([from, to]).toEqual([[[30]], [[24]]]);
      expect(named).toEqual([
        ["Oslo", 36],
        ["Rome", 24],
      ]);
    });

    it("reads German headings: compounds, plurals, numbers of things, dates, with and without tax", async () => {
      const kunden = Array.from({ length: 6 }, (_, i) => ({
        "Kunden-Nr.": 10 + i,
        Firma: `Firma ${i} GmbH`,
      }));
      const rechnungen = Array.from({ length: 12 }, (_, i) => ({
        "Beleg-Nr.": `RE${i}`,
        "Fällig am": "2025-02-01",
        Rechnungsdatum: "2025-01-01",
        Kundennummer: 10 + (i % 6),
        Nettobetrag: 100 + i,
        "MwSt %": 19,
        Bruttobetrag: 119 + i,
      }));
      for (const [name, rows] of Object.entries({ kunden, rechnungen }))
        await makeDataset(server, token, name, rows);
      const { guesses, digest } = await infer({ name: "faktura", datasets: ["kunden", "rechnungen"] }, token);
      expect(guesses.map(({ guess }) => guess)).toEqual(
        expect.arrayContaining(["rechnungen.kundennummer → kunden.kunden_nr", "date: rechnungsdatum"]),
      );
      expect(digest).toContain("mwst_percent");
      expect(digest).not.toMatch(/mw_st|total_(kunden|mwst_percent)/);
      await resultOf(server, token, "publish_semantic_model", { modelName: "faktura" });
      const rows = async (question: string) => (await ask("faktura", question)).rows;
      expect(await rows("Wie viele Belege gibt es?")).toEqual([[12]]);
      expect(await rows("Nettobetrag im Januar 2025")).toEqual([[1266]]);
      expect(await rows("Nettoumsatz im Januar 2025")).toEqual([[1266]]);
      expect((await rows("Bruttobetrag nach Kunde"))[0]).toEqual(["Firma 5 GmbH", 254]);
      expect((await ask("faktura", "Durchschnittlicher Betrag")).outcome).toBe("clarify");
    });

    it("drops no word because something could be carried over, or because it is empty elsewhere", async () => {
      const before = await ask("strikes", "average horsepower by wildlife species");
      const more = { follow_up_to: before.id };
      expect((await ask("strikes", "Show me the 5 most expensive strikes", more)).rows).not.toEqual(
        before.rows,
      );
      expect(await ask("strikes", "and the weight?", more)).toMatchObject({ outcome: "refuse" });
      expect(await ask("strikes", "how many strikes are based on a book")).toMatchObject({
        outcome: "refuse",
      });
      const { outcome, narrative } = await ask("strikes", "number of strikes by species and sponsor");
      expect(outcome).toBe("refuse");
      expect(narrative).toMatch(/Missing datasets:\*\*\n- sponsor\n\n/);
    });

    it("leaves rows out that are totals of the others, unless they are named", async () => {
      const kinds = ["Flood", "Storm", "Quake"];
      const losses = Array.from({ length: 8 }, (_, y) => [
        ...kinds.map((kind, k) => ({ kind, year: 2000 + y, deaths: 10 * (k + 1) + y })),
        { kind: "All disasters", year: 2000 + y, deaths: 60 + 3 * y },
      ]).flat();
      await makeDataset(server, token, "losses", losses);
      const { guesses } = await infer({ name: "losses", datasets: ["losses"] }, token);
      expect(guesses).toContainEqual(
        expect.objectContaining({ guess: '"All disasters" is the total of the others', sure: "likely" }),
      );
      const { warnings } = await resultOf<{ warnings: unknown[] }>(server, token, "publish_semantic_model", {
        modelName: "losses",
      });
      expect(warnings).toEqual([]);
      const sum = await ask("losses", "total deaths in 2001");
      expect(sum.rows).toEqual([[63]]);
      expect(sum.narrative).toContain('Kind "All disasters" is the total of the others, and was left out');
      expect((await ask("losses", "total deaths by kind")).rows).toHaveLength(3);
      expect((await ask("losses", "total deaths of All disasters in 2001")).rows).toEqual([[63]]);
      expect((await ask("losses", "total deaths of Flood in 2001")).rows).toEqual([[11]]);
    });

    it("says where the data end", async () => {
      const { narrative } = await ask("seattle", "how many days were there last year");
      expect(narrative).toContain("The data end on 2014-02-09 (date).");
      const { caveats } = await ask("seattle", "number of days by month");
      expect(caveats).toEqual([
        "The data end on 2014-02-09 (date): the numbers of Feb 2014 are those until then.",
      ]);
      expect((await ask("seattle", "number of days in February 2014")).caveats).toEqual([
        "The data end on 2014-02-09 (date), before the period does.",
      ]);
      const refused = await ask("seattle", "how many penguins are there by wingspan");
      expect(refused.narrative).toMatch(
        /What can be asked:\*\*\n- seattle count, .*\n- by weather\n- from 2014-01-01 to 2014-02-09 \(date\)\n/,
      );
    });
  });

  it("knows nothing of what policies hide", async () => {
    const policies = [{ name: "no seats", roles: ["contributor"], hide: ["seats"] }];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: ids.shops, policies });
    try {
      expect(JSON.stringify(await infer({ name: "narrow" }))).not.toContain("seats");
      expect(JSON.stringify(await infer({ name: "wide" }, admin))).toContain("seats");
    } finally {
      await resultOf(server, admin, "set_dataset_policies", { dataset_id: ids.shops, policies: [] });
    }
  });

  it("tells whose draft it replaced", async () => {
    await infer({ name: "shared" }, admin);
    expect((await infer({ name: "shared" })).note).toMatch(/^This replaced the draft that admin-/);
  });

  it("is for those who may write models", async () => {
    const viewer = await server.token({ role: "viewer" });
    const refused = await refusalsOf(server, viewer, "infer_semantic_model", { name: "x" });
    expect(refused).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("ontologies:write is missing"),
    });
    await server.app.identity.workspaces.create({ slug: "empty", name: "Empty" });
    const other = await server.token({ workspace: "empty" });
    const empty = await callTool(server, other, "infer_semantic_model", { name: "x" });
    expect(textOf(empty)).toMatch(/There are no datasets/);
  });
});

describe("the example of docs/models.md", () => {
  it("can be published and asked", async () => {
    const docs = readFileSync(resolve(import.meta.dirname, "../../../../docs/models.md"), "utf8");
    const [, content = ""] = /## A complete example[\s\S]*?```yaml\n([\s\S]*?)```/.exec(docs) ?? [];
    await server.app.identity.workspaces.create({ slug: "example", name: "Example" });
    const token = await server.token({ workspace: "example" });
    const order = {
      order_id: 1,
      customer_id: 1,
      order_date: "2025-01-01",
      status: "paid",
      amount: 8,
      discount: 0.5,
    };
    await makeDataset(server, token, "orders", [order]);
    await makeDataset(server, token, "customers", [{ customer_id: 1, name: "Ada", city: "Bern" }]);
    expect(await saveModel(server, token, content)).toMatchObject({ state: "published", problems: [] });
    const question = { question: "turnover by city" };
    expect(await resultOf(server, token, "ask_question", question)).toMatchObject({ rows: [["Bern", 4]] });
  });
});
