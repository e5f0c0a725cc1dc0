import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonSlice } from "../../kernel/json.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { sanitiseText } from "../../kernel/text.ts";
import { readBody } from "./body.ts";
import { type Cut, JsonScan } from "./json-scan.ts";

const DATA = { path: ["params", "arguments"], lists: ["rows"] };

/** What a parser finds: `JSON.parse` visits each value once. Only names that are there twice it counts once. */
function counted(text: string): { fields: number; values: number } {
  let fields = 0;
  let values = 0;
  const visit = (value: unknown): void => {
    values += 1;
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value)) fields += Object.keys(value).length;
    for (const item of Object.values(value)) visit(item);
  };
  visit(JSON.parse(text));
  return { fields, values };
}

function scanned(text: string | Uint8Array, step = Number.POSITIVE_INFINITY, data?: typeof DATA): JsonScan {
  const scan = new JsonScan(Buffer.from(text), data);
  while (!scan.run(step));
  return scan;
}

function read(text: string | Uint8Array, data = DATA): Promise<unknown> {
  const request = new Request("http://test/", { method: "POST", body: Buffer.from(text) });
  return readBody(request, { data });
}

const message = (args: string) => `{"method":"tools/call","params":{"name":"x","arguments":${args}}}`;
const nasty = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", '\\"', "{", "rows", "é😀"));
const json = fc.jsonValue({ stringUnit: "binary", maxDepth: 6 });

describe("a scan", () => {
  it("counts what a parser finds, in one go or byte by byte, with spaces or without", () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 2, "\t"), (value, step, space) => {
        const text = JSON.stringify(value, null, space);
        const { fields, values } = scanned(text, step);
        expect({ fields, values }).toEqual(counted(text));
      }),
    );
  });

  /** All that a parser could come across, in texts that are no JSON too; not what is read apart. */
  function tokens(text: string, cuts: readonly Cut[]): number {
    const around = cuts.reduceRight(
      (left, { start, end }) => `${left.slice(0, start)} 0 ${left.slice(end)}`,
      text,
    );
    return around.match(/"(?:[^"\\]|\\.)*"|[{[]|[^\s{}[\],:"]+/g)?.length ?? 0;
  }

  it("refuses a text without its end, and counts every token of any other, however garbled", () => {
    const long = "x".repeat(LIMITS.request.largeRowsBytes);
    const pieces = [...'{}[]",:1 u', "\\", '"a":', "[1,2]", '{"a":1}', '"rows":[', '["LONG"]'];
    const garbled = fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join(""));
    const start = fc.constantFrom("", '{"params":{"arguments":{', '{"params":{"arguments":{"rows":[');
    const end = fc.constantFrom("", "}}}", "]}}}");
    fc.assert(
      fc.property(start, garbled, end, fc.integer({ min: 1, max: 9 }), (before, middle, after, step) => {
        const text = `${before}${middle}${after}`.replaceAll("LONG", long);
        let scan: JsonScan;
        try {
          scan = scanned(text, step, DATA);
        } catch (error) {
          expect(() => JSON.parse(text)).toThrow();
          expect((error as Error).message).toContain("not valid JSON");
          return;
        }
        expect(scan.fields + scan.values).toBe(tokens(text, scan.cuts));
      }),
      { numRuns: 1_000 },
    );
  });

  it("refuses every beginning of a text", () => {
    const rows = `[{"a":[1]},{"b":"]}"},"${"x".repeat(LIMITS.request.largeRowsBytes)}"]`;
    const text = message(`{"rows":${rows},"rows":[{"a":1}]}`);
    expect(scanned(text, 1_000, DATA).cuts).toHaveLength(1);
    for (let length = 1; length < text.length; length += length === 200 ? 16_200 : 1)
      expect(() => scanned(text.slice(0, length), 1_000, DATA)).toThrow("not valid JSON");
  });

  const { fields, values, plainBytes, bodyDepth, rowValues, objectFields } = LIMITS.request;
  const members = (n: number) => Array.from({ length: n }, (_, i) => `"k${i}":1`).join(",");
  it.each([
    ["fields", `{${members(fields)}}`, `{${members(fields + 1)}}`, "2,000 fields"],
    [
      "a name again and again",
      `{${'"a":1,'.repeat(fields - 1)}"a":1}`,
      `{${'"a":1,'.repeat(fields)}"a":1}`,
      "2,000 fields",
    ],
    ["values", `[${"1,".repeat(values - 2)}1]`, `[${"1,".repeat(values - 1)}1]`, "25,000 values"],
    [
      "levels",
      "[".repeat(bodyDepth) + "]".repeat(bodyDepth),
      "[".repeat(bodyDepth + 1) + "]".repeat(bodyDepth + 1),
      "100 levels",
    ],
    ["bytes", `"${"x".repeat(plainBytes - 2)}"`, `"${"x".repeat(plainBytes - 1)}"`, "2,097,152 bytes"],
    ["digits", "1".repeat(plainBytes), "1".repeat(plainBytes + 1), "2,097,152 bytes"],
    [
      "values in rows",
      message(`{"rows":[${"1,".repeat(rowValues - 1)}1]}`),
      message(`{"rows":[${"1,".repeat(rowValues)}1]}`),
      "3,000,000 values",
    ],
    [
      "fields of a row",
      message(`{"rows":[{${members(objectFields)}}]}`),
      message(`{"rows":[{${members(objectFields + 1)}}]}`),
      "100,000 fields",
    ],
  ])("takes so many %s and no more", (_what, most, more, words) => {
    expect(() => scanned(most, 100_000, DATA)).not.toThrow();
    expect(() => scanned(more, 100_000, DATA)).toThrow(words);
  });

  it.each([
    ["beside the arguments", `{"params":{"rows":[ROWS]}}`],
    ["deeper", message(`{"x":{"rows":[ROWS]}}`)],
    ["in an object of that name", message(`{"rows":{"a":[ROWS]}}`)],
    ["under another name", message(`{"rowz":[ROWS]}`)],
    ["under an escaped name", message(`{"r\\u006fws":[ROWS]}`)],
    ["in arguments of something else", `{"other":{"arguments":{"rows":[ROWS]}}}`],
    ["in a batch of batches", `[[${message(`{"rows":[ROWS]}`)}]]`],
    ["in a list of arguments", `{"params":{"arguments":[{"rows":[ROWS]}]}}`],
  ])("makes no exception for rows %s", (_where, text) => {
    expect(() => scanned(text.replace("ROWS", "1,".repeat(values)), 50_000, DATA)).toThrow("25,000 values");
  });
});

describe("a body", () => {
  const argumentsOf = (body: unknown) =>
    ([body].flat()[0] as { params: { arguments: Record<string, unknown> } }).params.arguments;

  it("is what JSON.parse makes of it, large arguments included", async () => {
    const big = "x".repeat(LIMITS.request.largeTextBytes);
    const many = Array.from({ length: 3_000 }, (_, i) => ({ i, s: 'a"]}\\' }));
    await fc.assert(
      fc.asyncProperty(nasty, json, fc.boolean(), fc.boolean(), async (odd, other, isText, isBatch) => {
        const large = isText ? `${odd}${big}${odd}\u{1f600}` : [other, ...many, { [odd]: odd }];
        const name = isText ? "content" : "rows";
        const one = message(JSON.stringify({ [`a${odd}`]: other, [name]: large, z: odd }));
        const text = isBatch ? `[${one},${message("{}")}]` : one;
        const { [name]: slice, ...found } = argumentsOf(await read(text));
        const { [name]: wanted, ...others } = argumentsOf(JSON.parse(text));
        expect(found).toEqual(others);
        if (!(slice instanceof JsonSlice)) throw new Error("it was not read apart");
        if (isText) expect(await slice.text()).toBe(sanitiseText(wanted as string));
        else expect(JSON.parse(Buffer.from(slice.bytes).toString())).toEqual(wanted);
        expect(slice.length).toBe(isText ? 0 : large.length);
      }),
      { numRuns: 40 },
    );
  });

  it("takes the last of two arguments of one name, as JSON.parse does", async () => {
    const long = `[${"1,".repeat(20_000)}1]`;
    expect(await read(message(`{"rows":${long},"rows":[2]}`))).toMatchObject({
      params: { arguments: { rows: [2] } },
    });
    const body = await read(message(`{"rows":[2],"rows":${long},"__proto__":{"x":1}}`));
    const args = argumentsOf(body);
    expect(args.rows).toBeInstanceOf(JsonSlice);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(Object.keys(args)).toEqual(["rows", "__proto__"]);
  });

  it("keeps pairs and characters together wherever a text is cut into pieces", async () => {
    for (const unit of ["\\ud83d\\ude00", "é😀", "\\\\", '\\"', "a\\u0001", "\\ud83d"]) {
      for (const lead of ["", "x", "xyz"]) {
        const text = `"${lead}${unit.repeat(70_000)}"`;
        const slice = new JsonSlice(Buffer.from(text), 0);
        expect((await slice.text()) === sanitiseText(JSON.parse(text) as string)).toBe(true);
      }
    }
  });

  it.each([
    [
      "half a character",
      Buffer.concat([Buffer.from(message('{"content":"')), Buffer.alloc(300_000, 0xff), Buffer.from('"}')]),
      "not valid UTF-8",
    ],
    ["nothing after rows", `{"params":{"arguments":{"rows":[${"1,".repeat(20_000)}1]`, "not valid JSON"],
    ["two values", "{} {}", "not valid JSON"],
  ])("is refused: %s", async (_what, text, words) => {
    await expect(read(text)).rejects.toThrow(words);
  });
});
