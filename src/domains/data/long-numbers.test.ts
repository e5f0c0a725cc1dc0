import { describe, expect, it } from "vitest";
import { resultOf } from "../../../test/support/datasets.ts";
import { serverOfFile } from "../../../test/support/server.ts";
import { LIMITS } from "../../kernel/limits.ts";

const server = await serverOfFile();
const admin = await server.token();
const contributor = await server.token({ role: "contributor" });

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
const A = "1234567890123456789";
const B = "1234567890123456790";
/** Makes a body large, so that its rows are read apart anyway. */
const FILL = "x".repeat(LIMITS.request.largeRowsBytes);

/** Rows with these numbers, as they are written here. */
const ids = (...numbers: string[]) => numbers.map((number) => ({ id: rawJSON(number) }));

async function push(name: string, rows: object[], token = admin): Promise<number> {
  const args = { dataset_name: name, rows };
  return (await resultOf<{ dataset_id: number }>(server, token, "push_data", args)).dataset_id;
}

/** The type of `id`, and its values as text. */
async function read(dataset_id: number): Promise<string[]> {
  type Data = { columns: { name: string; type: string }[]; rows: { id: unknown }[] };
  const { columns, rows } = await resultOf<Data>(server, admin, "get_data", { dataset_id });
  const type = columns.find(({ name }) => name === "id")?.type;
  return [String(type), ...rows.map(({ id }) => String(id))];
}

describe("long numbers that are pushed", () => {
  it.each([
    ["64 bits", [A, B, `-${A}`], "BIGINT"],
    ["just beyond 2^53", ["9007199254740993", "7"], "BIGINT"],
    ["38 digits", ["9".repeat(38), `-${"9".repeat(38)}`, "1"], "DECIMAL(38,0)"],
    ["fractions", ["0.1234567890123456", "1e20", "5"], "DOUBLE"],
  ])("keep their digits: %s", async (what, numbers, type) => {
    const expected = [type, ...numbers.map((text) => (type === "DOUBLE" ? String(Number(text)) : text))];
    expect(await read(await push(what, ids(...numbers)))).toEqual(expected);
    const large = ids(...numbers).map((row) => ({ ...row, fill: FILL }));
    expect(await read(await push(`${what}, large`, large))).toEqual(expected);
  });

  it("keep them beside text, and inside of lists and objects", async () => {
    expect(await read(await push("Beside text", [...ids(A), { id: "x" }]))).toEqual(["VARCHAR", A, "x"]);
    const nested = await push("Nested", [{ id: 1, list: [rawJSON(A)], object: { n: rawJSON(B) } }]);
    const args = { dataset_id: nested, c9ql: "select list, object" };
    expect(JSON.stringify(await resultOf(server, admin, "get_data", args))).toMatch(new RegExp(`${A}.*${B}`));
  });

  it.each([
    [
      "a number beyond a double",
      [{ a: 1 }, { v: rawJSON("1e400") }],
      /Column "v": rows\[1\] has a number beyond/,
    ],
    ["one in a list", [{ v: [rawJSON(`${"9".repeat(400)}`)] }], /Column "v": rows\[0\] has a number beyond/],
    [
      "fractions beside them",
      [...ids(A), { id: 0.5 }],
      /Column "id" has numbers with fractions.*rows\[0\].*6789/,
    ],
    [
      "fractions in an object",
      [{ v: { n: rawJSON(A) } }, { v: { n: 0.5 } }],
      /Column "v" has numbers with frac/,
    ],
  ])("are refused rather than changed: %s", async (what, rows, words) => {
    await expect(push(what, rows)).rejects.toThrow(words);
    await expect(push(what, [...rows, { fill: FILL }])).rejects.toThrow(words);
  });

  it("may come as text where whole numbers are", async () => {
    const id = await push("As text", ids(A));
    await push("As text", [{ id: B }, { ID: "-5" }]);
    expect(await read(id)).toEqual(["BIGINT", A, B, "-5"]);
    for (const text of ["0123", "1.5", "", "1e3", "9".repeat(39)])
      await expect(push("As text", [{ id: text }])).rejects.toThrow(/cannot take text/);
  });
});

describe("long numbers that are there", () => {
  it("are not rounded by fractions of others, also where these do not see them", async () => {
    const { dataset_id } = await resultOf<{ dataset_id: number }>(server, admin, "import_file", {
      dataset_name: "Imported",
      file_type: "csv",
      content: `id,who\n${A},a\n${B},a\n7,b\n`,
    });
    const hidden = [{ field: "who", operator: "=", value: "b" }];
    const policies = [{ name: "own", roles: ["contributor"], rows: hidden }];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies });
    for (const token of [admin, contributor]) {
      const refusal = await push("Imported", [{ id: 0.5, who: "b" }], token).catch(String);
      expect(refusal).toMatch(/Column "id" cannot have numbers with fractions beside long ones/);
      expect(refusal).not.toMatch(/1234567/);
    }
    await push("Imported", [{ id: 8, who: "b" }], contributor);
    expect(await read(dataset_id)).toEqual(["BIGINT", A, B, "7", "8"]);
  });

  it("are not rounded inside of objects and lists", async () => {
    const id = await push("Inside", [{ id: 1, v: { n: [rawJSON(A)] } }]);
    await expect(push("Inside", [{ id: 2, v: { n: [0.5], more: 1 } }])).rejects.toThrow(/Column "v" cannot/);
    expect(await read(id)).toEqual(["BIGINT", "1"]);
  });

  it("make room for fractions where none is changed", async () => {
    const id = await push("Short", ids("9007199254740992", "3"));
    await push("Short", [{ id: 0.5 }]);
    expect(await read(id)).toEqual(["DOUBLE", "9007199254740992", "3", "0.5"]);
    await expect(push("Short", ids(A))).rejects.toThrow(/would lose digits: 1234567890123456789/);
    await push("Short", ids("9007199254740994"));
    expect((await read(id)).at(-1)).toBe("9007199254740994");
  });

  it("are neither rounded nor lost when both come at once", async () => {
    const id = await push("At once", ids("1"));
    const pushes = Array.from({ length: 8 }, (_, i) =>
      push("At once", i % 2 === 0 ? ids(A) : [{ id: i + 0.5 }]).then(
        () => true,
        (error: Error) => !/conflict|changed|fractions/.test(error.message),
      ),
    );
    const done = await Promise.all(pushes);
    const [type, ...values] = await read(id);
    expect(values).toHaveLength(1 + done.filter(Boolean).length);
    expect(values.filter((value) => value.startsWith("12345") && value !== A)).toEqual([]);
    expect(["BIGINT", "DOUBLE"]).toContain(type);
  });
});
