import { type Document, Long, ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import {
  castByDuckdb,
  failure,
  named,
  openOptions,
  readRows,
  testNetwork,
} from "../../../../../test/support/connectors.ts";
import { type MongoCommand, serveMongo } from "../../../../../test/support/mongo-server.ts";
import { type Connector, openConnector } from "../index.ts";
import { mongoQuery } from "./mongo-query.ts";

async function open(answer: MongoCommand): Promise<Connector & { commands: Document[] }> {
  const { port, commands } = await serveMongo(answer);
  const settings = { host: "127.0.0.1", port, database: "shop" };
  return { ...(await openConnector("mongo", settings, {}, openOptions)), commands };
}

const cursor = (batch: Document[], id = 0, name = "firstBatch"): Document => ({
  cursor: { id: Long.fromNumber(id), ns: "shop.orders", [name]: batch },
  ok: 1,
});

describe("rows", () => {
  it("come page by page, with all digits, dates in ISO and identifiers as text", async () => {
    const id = new ObjectId();
    const row = {
      _id: id,
      n: 1,
      long: Long.fromString("9007199254740993"),
      at: new Date(0),
      who: { name: "Ann" },
      tags: ["a"],
    };
    const connector = await open((command) =>
      command.find ? cursor([row], 7) : cursor([{ ...row, late: true }], 0, "nextBatch"),
    );
    const result = await readRows(
      connector,
      'db.orders.find({status: "open"}, {n: 1}).sort({n: -1}).limit(100)',
    );
    expect(named(result)).toEqual([
      {
        ...{ _id: id.toHexString(), n: 1, long: "9007199254740993", at: "1970-01-01T00:00:00.000Z" },
        ...{ who: { name: "Ann" }, tags: ["a"], late: null },
      },
      expect.objectContaining({ late: true }),
    ]);
    expect(connector.commands[0]).toMatchObject({
      ...{ find: "orders", filter: { status: "open" }, projection: { n: 1 }, sort: { n: -1 }, limit: 100 },
      $db: "shop",
    });
    expect(connector.commands[0]).toHaveProperty("maxTimeMS");
    expect(connector.commands[1]).toHaveProperty("getMore");
  });

  it("are not read further than asked, and the cursor is closed", async () => {
    const connector = await open((command) =>
      cursor([{ n: 1 }, { n: 2 }], 7, command.find ? "firstBatch" : "nextBatch"),
    );
    expect(await readRows(connector, "db.orders.find()", { maxRows: 3 })).toMatchObject({
      truncated: "rows",
    });
    await expect.poll(() => connector.commands.some((command) => command.killCursors)).toBe(true);
  });

  it("come of pipelines, counts and distinct values", async () => {
    const connector = await open((command) => {
      if (command.distinct) return { values: ["a", "b"], ok: 1 };
      return cursor([command.pipeline?.[1]?.$group?._id === 1 ? { _id: 1, n: 5 } : { _id: "x", sum: 2.5 }]);
    });
    expect(
      named(await readRows(connector, 'db.orders.aggregate([{$group: {_id: "$land", sum: {$sum: "$n"}}}])')),
    ).toEqual([{ _id: "x", sum: 2.5 }]);
    expect(named(await readRows(connector, "db.orders.countDocuments({})"))).toEqual([{ count: 5 }]);
    expect(named(await readRows(connector, 'db.orders.distinct("land")'))).toEqual([
      { land: "a" },
      { land: "b" },
    ]);
  });

  it("can be none", async () => {
    const result = await readRows(await open(() => cursor([])), "db.orders.find()");
    expect(result).toMatchObject({ rows: [], columns: [] });
    expect(await castByDuckdb(result)).toEqual([]);
  });
});

describe("what is there", () => {
  it("is tested and listed", async () => {
    const connector = await open((command) => {
      if (command.buildInfo) return { version: "8.2.0", ok: 1 };
      if (command.find)
        return cursor([
          { _id: 1, a: 1 },
          { _id: 2, b: "x" },
        ]);
      return cursor([
        { name: "orders", type: "collection" },
        { name: "v", type: "view" },
        { name: "system.views", type: "collection" },
      ]);
    });
    expect(await connector.test()).toMatchObject({ ok: true, serverVersion: "8.2.0" });
    expect(await connector.tables()).toEqual([
      { name: "orders", kind: "table" },
      { name: "v", kind: "view" },
    ]);
    expect((await connector.columns({ name: "orders" })).map(({ name }) => name)).toEqual(["_id", "a", "b"]);
  });

  it("or the reason is told", async () => {
    const refusing = await open(() => ({
      ok: 0,
      code: 13,
      errmsg: "not authorized on shop to execute command",
    }));
    expect(await failure(readRows(refusing, "db.orders.find()"))).toMatchObject({
      message: expect.stringContaining("does not accept the credentials"),
    });
    const failing = await open(() => ({ ok: 0, code: 2, errmsg: "unknown operator: $foo" }));
    expect(await failure(readRows(failing, "db.orders.find({a: {$foo: 1}})"))).toMatchObject({
      message: expect.stringContaining("unknown operator: $foo"),
    });
    const settings = { host: "10.0.0.1", database: "shop" };
    const inside = await openConnector(
      "mongodb",
      settings,
      {},
      { ...openOptions, network: testNetwork({ allow: [] }) },
    );
    expect(await failure(inside.test())).toMatchObject({ code: "forbidden" });
  });
});

describe("queries", () => {
  it.each([
    [
      "db.getCollection('my orders').find({at: {$gte: ISODate('2026-01-01')}, _id: ObjectId(\"65f000000000000000000001\")})",
      {
        collection: "my orders",
        filter: { at: { $gte: new Date("2026-01-01") }, _id: new ObjectId("65f000000000000000000001") },
      },
    ],
    [
      "db.a.b.find({name: /^x\\/y/i}) // all",
      { collection: "a.b", filter: { name: { $regex: "^x\\/y", $options: "i" } } },
    ],
    [
      '{"collection": "orders", "find": {"a": ":v"}, "limit": 5}',
      { collection: "orders", filter: { a: 7 }, options: { limit: 5 } },
    ],
    ['{"find": "orders", "filter": {"n": {"$numberLong": "5"}}}', { collection: "orders" }],
    [
      '{"aggregate": "orders", "pipeline": [{"$match": {}}]}',
      { kind: "aggregate", pipeline: [{ $match: {} }] },
    ],
  ])("%s", (text, expected) => {
    expect(mongoQuery(text, { v: 7 })).toMatchObject(expected);
  });

  it.each([
    "",
    "db",
    "db.orders.drop()",
    "db.orders.find({)",
    "db.orders.find().forEach(x)",
    "db.orders.deleteMany({})",
    'db.orders.aggregate([{$out: "x"}])',
    'db.orders.aggregate([{$facet: {a: [{$merge: "x"}]}}])',
    'db.orders.find({$where: "sleep(1000)"})',
    "db.orders.find({a: :b})",
    '{"collection": "orders", "find": {"a": ":missing"}}',
    '{"find": {}}',
    `{"collection": "c", "find": ${'{"a":'.repeat(5_000)}`,
    "db.orders.find({d: new Date()})",
    "db.orders.find(process.exit())",
  ])("%j is refused", (text) => {
    expect(() => mongoQuery(text)).toThrow(expect.objectContaining({ code: "bad_request" }));
  });
});
