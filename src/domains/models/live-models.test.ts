import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../test/support/datasets.ts";
import { makeDatasource, type Sourced, startSourced } from "../../../test/support/datasources.ts";
import { callTool } from "../../../test/support/mcp.ts";
import { textOf } from "../../../test/support/models.ts";

/** Names that end what they stand in, wherever somebody forgot to quote them. */
const ODD = `odd"; DROP TABLE visits; --'$$`;

let sourced: Sourced;
let admin: string;

const sql = async (text: string, { params = [] as string[], token = admin, model = "cafe" } = {}) =>
  resultOf<{ columns: string[]; types: string[]; rows: Record<string, unknown>[] }>(
    sourced.server,
    token,
    "execute_query",
    { modelName: model, sql: text, params },
  );

const refusal = async (tool: string, args: Record<string, unknown>, token = admin) =>
  textOf(await callTool(sourced.server, token, tool, args));

beforeAll(async () => {
  sourced = await startSourced();
  admin = await sourced.server.token();
  await sourced.source.query(`
    CREATE TABLE shops (shop_id int PRIMARY KEY, shop_name varchar(40) NOT NULL, city char(8));
    INSERT INTO shops VALUES (1, 'Aroma', 'Bern'), (2, 'bean', 'Rome'), (3, 'Crema', NULL), (4, 'it''s "Drip"; --', 'Bonn');
    CREATE TABLE visits (visit_id bigint PRIMARY KEY, shop_id int, visited_at timestamptz, tip numeric(8,2), spent numeric,
      note text, tags text[], extra jsonb, photo bytea, stay interval, is_new boolean, ${`"${ODD.replaceAll('"', '""')}"`} int);
    INSERT INTO visits SELECT i, i % 4 + 1, timestamptz '2025-01-01 00:30Z' + i * interval '1 day', i * 1.25, i / 3.0,
      'note ' || i, ARRAY['a', 'b' || i], jsonb_build_object('n', i), '\\x0102'::bytea, i * interval '90 min', i % 2 = 0, i
      FROM generate_series(1, 60) AS i;
    UPDATE visits SET note = NULL WHERE visit_id = 7`);
  await resultOf(sourced.server, admin, "infer_semantic_model", {
    name: "cafe",
    datasource_id: sourced.datasource_id,
    publish: true,
  });
}, 120_000);
afterAll(() => sourced.stop());

describe("a model over tables that stay where they are", () => {
  it("is made and published by one call, and knows what belongs together", async () => {
    const { digest } = await resultOf<{ digest: string }>(sourced.server, admin, "get_semantic_model", {
      modelName: "cafe",
    }).catch(async () => ({ digest: await refusal("get_semantic_model", { modelName: "cafe" }) }));
    expect(digest).toContain("visits.shop_id");
    const { datasets } = await resultOf<{ datasets: { name: string; rows: unknown }[] }>(
      sourced.server,
      admin,
      "list_datasets",
      {},
    );
    expect(datasets.map(({ name, rows }) => [name, rows])).toEqual([
      ["shops", null],
      ["visits", null],
    ]);
  });

  it("sees each change at once", async () => {
    await sourced.source.query("INSERT INTO shops VALUES (9, 'New', 'Oslo')");
    expect((await sql("SELECT shop_name FROM shops WHERE shop_id = 9")).rows).toEqual([{ shop_name: "New" }]);
    await sourced.source.query("DELETE FROM shops WHERE shop_id = 9");
    expect((await sql("SELECT count(*) AS n FROM shops")).rows).toEqual([{ n: 4 }]);
  });

  it("answers questions and metrics there", async () => {
    const answer = await resultOf<{ rows: unknown[][] }>(sourced.server, admin, "query_metrics", {
      model: "cafe",
      metrics: ["count(visits)"],
      by: ["shops.shop_name"],
      order: "shop_name",
    });
    expect(answer.rows).toEqual([
      ["Aroma", 15],
      ["Crema", 15],
      ["bean", 15],
      [`it's "Drip"; --`, 15],
    ]);
  });

  it("gives values as DuckDB would", async () => {
    const { types, rows } = await sql(
      "SELECT visit_id, tip, spent, visited_at, tags, extra, photo, stay, is_new, sum(tip) OVER () AS all_tips FROM visits WHERE visit_id = 7",
    );
    expect(types.slice(0, 5)).toEqual([
      "BIGINT",
      "DECIMAL(8,2)",
      "DOUBLE",
      "TIMESTAMP WITH TIME ZONE",
      "JSON",
    ]);
    expect(rows).toEqual([
      {
        visit_id: 7,
        tip: 8.75,
        spent: 7 / 3,
        visited_at: "2025-01-08T00:30:00Z",
        tags: ["a", "b7"],
        extra: { n: 7 },
        photo: "AQI=",
        stay: "10:30:00",
        is_new: false,
        all_tips: 8.75,
      },
    ]);
  });

  it.each([
    [
      "text is ordered by its bytes, and nothing comes last",
      "SELECT note FROM visits WHERE visit_id IN (7, 8) ORDER BY note DESC",
      [{ note: "note 8" }, { note: null }],
    ],
    [
      "capitals come before other letters",
      "SELECT max(shop_name) AS last FROM shops WHERE shop_id < 4",
      [{ last: "bean" }],
    ],
    [
      "division is not whole",
      "SELECT 7 / 2 AS half, 7 // 2 AS whole, 1 / 0 AS endless",
      [{ half: 3.5, whole: 3, endless: "Infinity" }],
    ],
    [
      "groups without naming them",
      "SELECT is_new, count(*) AS n FROM visits GROUP BY ALL ORDER BY ALL",
      [
        { is_new: false, n: 30 },
        { is_new: true, n: 30 },
      ],
    ],
    [
      "QUALIFY",
      "SELECT visit_id FROM visits QUALIFY row_number() OVER (PARTITION BY shop_id ORDER BY tip DESC) = 1 ORDER BY visit_id LIMIT 2",
      [{ visit_id: 57 }, { visit_id: 58 }],
    ],
    [
      "an alias in WHERE",
      "SELECT tip * 2 AS double_tip FROM visits WHERE double_tip = 5",
      [{ double_tip: 5 }],
    ],
    [
      "months",
      "SELECT date_trunc('month', visited_at) AS m, count(*) AS n FROM visits GROUP BY m ORDER BY m",
      [
        { m: "2025-01-01T00:00:00Z", n: 30 },
        { m: "2025-02-01T00:00:00Z", n: 28 },
        { m: "2025-03-01T00:00:00Z", n: 2 },
      ],
    ],
    [
      "a series of days",
      "SELECT count(*) AS n FROM (SELECT unnest(generate_series(DATE '2025-01-01', DATE '2025-01-10', INTERVAL 1 DAY)) AS d) AS days LEFT JOIN visits ON CAST(visited_at AS DATE) = d",
      [{ n: 10 }],
    ],
    [
      "columns by name",
      "SELECT * EXCLUDE (city) FROM shops UNION ALL BY NAME SELECT 5 AS shop_id ORDER BY shop_id DESC LIMIT 1",
      [{ shop_id: 5, shop_name: null }],
    ],
    [
      "FILTER, DISTINCT and common tables",
      "WITH v AS (SELECT * FROM visits) SELECT count(DISTINCT shop_id) FILTER (WHERE tip > 70) AS n, avg(tip) FILTER (WHERE visit_id <= 2) AS a FROM v",
      [{ n: 4, a: 1.875 }],
    ],
    [
      "LIKE takes a backslash as it is",
      String.raw`SELECT count(*) AS n FROM shops WHERE shop_name LIKE 'a\%'`,
      [{ n: 0 }],
    ],
  ])("%s", async (_, text, rows) => {
    expect((await sql(text)).rows).toEqual(rows);
  });

  it("asks nothing of names and values that it does not quote", async () => {
    const quoted = `"${ODD.replaceAll('"', '""')}"`;
    const { rows } = await sql(
      `SELECT odd_drop_table_visits AS a, $1 AS b, '${ODD.replaceAll("'", "''")}' AS ${quoted} FROM visits WHERE note <> $1 AND visit_id = 3`,
      {
        params: [ODD],
      },
    );
    expect(rows).toEqual([{ a: 3, b: ODD, [ODD]: ODD }]);
    expect(
      (await sql("SELECT shop_id FROM shops WHERE shop_name = $1", { params: [`it's "Drip"; --`] })).rows,
    ).toEqual([{ shop_id: 4 }]);
    expect((await sql("SELECT count(*) AS n FROM visits")).rows).toEqual([{ n: 60 }]);
  });

  it("takes signs that mean something to a replacement as the text that they are", async () => {
    const signs = "$` $' $& $$ $1";
    const { rows } = await sql(
      `SELECT string_agg(shop_name, '${signs.replace("'", "''")}' ORDER BY '${signs.replace("'", "''")}' || shop_name) AS s
       FROM shops WHERE shop_id < 3`,
    );
    expect(rows).toEqual([{ s: `Aroma${signs}bean` }]);
    const { rows: kept } = await sql(
      "SELECT string_agg(shop_name, ')) || (select string_agg(city, chr(45)) from shops) || " +
        "string_agg(shop_name, chr(44) order by (' ORDER BY shop_name || '$`') AS s FROM shops WHERE shop_id = 1",
    );
    expect(kept).toEqual([{ s: "Aroma" }]);
  });

  it("refuses in time what grows while it is translated", async () => {
    const nested = (depth: number) => `${"(shop_id/".repeat(depth)}shop_id${")".repeat(depth)}`;
    const columns = Array.from({ length: 40 }, (_, i) => `${nested(20)} AS x${i}`).join(", ");
    const answer = await refusal("execute_query", { modelName: "cafe", sql: `SELECT ${columns} FROM shops` });
    expect(answer).toContain("becomes too long");
    const aliases = Array.from({ length: 25 }, (_, i) => `a${i}||a${i} AS a${i + 1}`).join(", ");
    const text = `SELECT shop_name AS a0, ${aliases} FROM shops`;
    expect(await refusal("execute_query", { modelName: "cafe", sql: text })).toMatch(
      /too long|too large|took longer/,
    );
  });

  it("says what cannot be said there, and what is wrong as ever", async () => {
    expect(
      await refusal("execute_query", {
        modelName: "cafe",
        sql: "EXPLAIN SELECT strip_accents(note) FROM visits",
      }),
    ).toMatch(/strip_accents.*cannot be run in PostgreSQL.*create_query/s);
    expect(await refusal("execute_query", { modelName: "cafe", sql: "SELECT shop FROM shops" })).toMatch(
      /Did you mean|Candidate/,
    );
    expect(await refusal("execute_query", { modelName: "cafe", sql: "SELECT pg_sleep(1)" })).toMatch(
      /not allowed|not known/,
    );
    expect(await refusal("execute_query", { modelName: "cafe", sql: "SELECT * FROM pg_class" })).toMatch(
      /no dataset|not allowed/,
    );
    expect(await refusal("push_data", { dataset_name: "shops", rows: [{ a: 1 }] })).toContain("is live");
  });

  it("copies what is small where rows of two places are needed", async () => {
    await resultOf(sourced.server, admin, "push_data", {
      dataset_name: "cities",
      rows: [{ city: "Bern", country: "CH" }],
    });
    const other = await makeDatasource(sourced.server, admin, "Other", sourced.source);
    await resultOf(sourced.server, admin, "infer_semantic_model", {
      name: "both",
      datasets: ["cities", "shops"],
      publish: true,
    });
    const { rows } = await sql(
      "SELECT s.shop_name, c.country FROM shops s JOIN cities c ON trim(s.city) = c.city",
      { model: "both" },
    );
    expect(rows).toEqual([{ shop_name: "Aroma", country: "CH" }]);
    expect(other).toBeGreaterThan(0);
  });
});

describe("policies", () => {
  it("are part of the statement", async () => {
    const { datasets } = await resultOf<{ datasets: { id: number; name: string }[] }>(
      sourced.server,
      admin,
      "list_datasets",
      {},
    );
    const id = datasets.find(({ name }) => name === "visits")?.id;
    await resultOf(sourced.server, admin, "set_dataset_policies", {
      dataset_id: id,
      policies: [
        {
          name: "own",
          roles: ["viewer"],
          rows: [{ field: "shop_id", operator: "=", value: 1 }],
          hide: ["note"],
        },
      ],
    });
    const { viewer } = sourced;
    expect(
      (await sql("SELECT count(*) AS n, min(shop_id) AS s FROM visits", { token: viewer })).rows,
    ).toEqual([{ n: 15, s: 1 }]);
    expect((await sql("SELECT count(*) AS n FROM visits")).rows).toEqual([{ n: 60 }]);
    const asked = (text: string) => refusal("execute_query", { modelName: "cafe", sql: text }, viewer);
    expect(await asked("SELECT note FROM visits")).toMatch(/note/);
    // What a hidden row would answer is never computed: an error would tell of it.
    const { rows } = await sql(
      "SELECT count(*) AS n FROM visits WHERE 1 % (shop_id - 2) >= 0 AND CAST(CAST(shop_id AS VARCHAR) AS INTEGER) = 1",
      { token: viewer },
    );
    expect(rows).toEqual([{ n: 15 }]);
    expect(await asked("EXPLAIN SELECT * FROM visits")).toContain("EXPLAIN is not allowed");
    const page = await resultOf<{ rows: unknown[]; total_rows?: number }>(
      sourced.server,
      viewer,
      "get_data",
      { dataset_id: id, limit: 100 },
    );
    expect(JSON.stringify(page)).not.toContain("note ");
    await resultOf(sourced.server, admin, "set_dataset_policies", { dataset_id: id, policies: [] });
  });

  it("let nobody make live datasets who may not query the datasource", async () => {
    const args = { name: "mine", datasource_id: sourced.datasource_id };
    expect(await refusal("infer_semantic_model", args, sourced.viewer)).toMatch(
      /permission|ontologies:write/,
    );
    expect(await refusal("infer_semantic_model", args, sourced.stranger)).toMatch(/no datasource/);
    await resultOf(sourced.server, admin, "set_datasource_access", {
      datasource_id: sourced.datasource_id,
      query_access: "admins",
    });
    expect(await refusal("infer_semantic_model", args, sourced.token)).toContain("admins only");
  });
});

describe("what surrounds them", () => {
  it("says how fresh an answer is", async () => {
    const before = Date.now();
    const { lineage } = await resultOf<{
      lineage: { freshness: { dataset: string; refreshedAt: string; live?: boolean }[] };
    }>(sourced.server, admin, "query_metrics", { model: "cafe", metrics: ["count(visits)"] });
    const [visits] = lineage.freshness;
    expect(visits).toMatchObject({ dataset: "visits", live: true });
    expect(Date.parse(visits?.refreshedAt ?? "")).toBeGreaterThanOrEqual(before);
  });

  it("a datasource with live datasets is not deleted", async () => {
    const args = { asset_type: "datasource", asset_id: sourced.datasource_id, confirm: true };
    expect(await refusal("delete_asset", args)).toMatch(/is used by .*live datasets/s);
  });
});
