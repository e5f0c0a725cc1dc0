import { describe, expect, it } from "vitest";
import type { Problem, SemanticModel } from "../model.ts";
import { readModels } from "./read-models.ts";
import { Report } from "./report.ts";
import { checkStructure } from "./structure.ts";

function structureOf(model: SemanticModel): Problem[] {
  const report = new Report();
  checkStructure(model, report);
  return report.problems();
}

/** What the structure of a model says, in short; the datasets a, b, c and d have the key id. */
function problems(relationships: string[], datasets = "abcd") {
  const text = `version: 1.0
semantic_model:
  - name: m
    datasets:
${[...datasets].map((name) => `      - { name: ${name}, source: ${name}, primary_key: [id], fields: [{ name: id }, { name: ref }] }`).join("\n")}
    relationships:
${relationships.map((one, i) => `      - { name: r${i}, ${one} }`).join("\n")}
`;
  const [read] = readModels([{ name: "m.yaml", text }]).models;
  return read!.problems.map(
    ({ severity, path, line, message, hint }) => `${severity} ${path}:${line} ${message} ${hint}`,
  );
}

const join = (from: string, to: string, fromColumns = "ref", toColumns = "id") =>
  `from: ${from}, to: ${to}, from_columns: [${fromColumns}], to_columns: [${toColumns}]`;

describe("relationships", () => {
  it("are fine as a tree, with a dataset that refers to itself", () => {
    expect(problems([join("a", "b"), join("b", "c"), join("d", "c"), join("c", "c")])).toEqual([]);
  });

  it("need datasets, and columns that fit", () => {
    expect(problems([join("a", "bb"), join("a", "b", "ref, id"), join("c", "d", "", "")])).toEqual([
      "error relationships.r0.to:10 There is no dataset bb. Did you mean b?",
      expect.stringContaining("error relationships.r1:11 The relationship joins 2 columns to 1."),
      expect.stringContaining("error relationships.r2:12 The relationship joins 0 columns to 0."),
    ]);
  });

  it("may use columns that are no fields, but that is worth a look", () => {
    expect(problems([join("a", "b", "reff")])).toEqual([
      "warning relationships.r0.from_columns:10 No field of a has the name reff. Did you mean ref?",
    ]);
  });

  it("that may have several partners are warned about", () => {
    expect(problems([join("a", "b", "ref", "ref"), join("c", "b", "id", "ref")])).toEqual([
      "warning relationships.r0:10 ref is no key of b: a row of a may have several partners there. Declare it as primary_key or in unique_keys of b if it is one.",
      expect.stringContaining("perhaps from and to are the wrong way round"),
    ]);
    expect(problems([join("a", "b", "ref, id", "REF, ID")])).toEqual([]);
  });

  it("that leave a choice are warned about once", () => {
    expect(problems([join("a", "b"), join("a", "b", "id"), join("b", "a")])).toEqual([
      "warning relationships.r0:10 a and b are joined in several ways: r0, r1, r2. Say in ai_context when each of the ways is meant.",
    ]);
    expect(problems([join("a", "b"), join("a", "c"), join("b", "d"), join("c", "d")])).toEqual([
      "warning relationships.r3:13 c and d are also joined by way of a, b. Say in ai_context when each of the ways is meant.",
    ]);
  });

  it("of a large and tangled model are looked at quickly", () => {
    const many = Array.from({ length: 600 }, (_, i) => i);
    const [read] = readModels([
      {
        name: "m.json",
        text: JSON.stringify({
          version: "1.0",
          semantic_model: {
            name: "m",
            datasets: many.map((i) => ({
              name: `d${i}`,
              source: "x",
              primary_key: ["id"],
              fields: [{ name: "id" }],
            })),
            relationships: many.flatMap((i) =>
              [1, 2, 3].map((distance) => ({
                name: `r${i}_${distance}`,
                from: `d${i}`,
                to: `d${(i + distance) % many.length}`,
                from_columns: ["id"],
                to_columns: ["id"],
              })),
            ),
          },
        }),
      },
    ]).models;
    const started = process.cpuUsage();
    expect(structureOf(read!.model)).toHaveLength(201);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
  });
});

describe("parts", () => {
  it("must not be empty", () => {
    const text = "version: 1.0\nsemantic_model:\n  - name: m\n    metrics: [{ name: n }]\n";
    const [read] = readModels([{ name: "m.yaml", text }]).models;
    expect(read?.problems).toMatchObject([
      { severity: "error", path: "datasets", line: 3, message: "The model has no datasets." },
      { severity: "error", path: "metrics.n", line: 4, message: "The metric has no expression." },
    ]);
  });

  it("have names of their own, also in a model that came from no file", () => {
    const { model } = readModels([
      { name: "m.yaml", text: "name: m\ndatasets: [{ name: a, source: a, fields: [{ name: x }] }]" },
    ]).models[0]!;
    const [a] = model.datasets;
    const twice = {
      ...model,
      datasets: [
        { ...a!, fields: [...a!.fields, ...a!.fields] },
        { ...a!, name: "A" },
      ],
    };
    expect(structureOf(twice).map(({ path }) => path)).toEqual(["datasets.A", "datasets.a.fields.x"]);
  });

  it.each(["temp", "Main", "system", "memory", "information_schema", "duckdb_tables", "_scope_1"])(
    "may not have a name of the engine's own: %s",
    (name) => {
      const text = `name: m\ndatasets: [{ name: ${name}, source: a, fields: [{ name: x }] }]`;
      const [read] = readModels([{ name: "m.yaml", text }]).models;
      expect(read?.problems).toContainEqual(
        expect.objectContaining({
          severity: "error",
          path: `datasets.${name}`,
          message: `${name} is a name of the engine's own: it could not be queried.`,
        }),
      );
    },
  );
});
