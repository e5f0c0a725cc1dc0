import { expect, it } from "vitest";
import { boundProblems } from "./authoring.ts";
import type { Problem } from "./model.ts";

const problem = (severity: Problem["severity"], message: string): Problem => ({
  severity,
  message,
  path: "x",
});

it("keeps errors before warnings, and counts the rest, also what was left out before", () => {
  const before: Problem = { severity: "warning", message: "There are 7 more problems.", path: "" };
  const warnings = Array.from({ length: 4 }, (_, i) => problem("warning", `w${i}`));
  const all = [...warnings, before, problem("error", "e")];
  expect(boundProblems(all, 6).map(({ message }) => message)).toEqual(all.map(({ message }) => message));
  expect(boundProblems(all, 3)).toEqual([
    problem("error", "e"),
    ...warnings.slice(0, 2),
    expect.objectContaining({ severity: "warning", message: "There are 9 more problems." }),
  ]);
  const errors = Array.from({ length: 4 }, (_, i) => problem("error", `e${i}`));
  expect(boundProblems(errors, 3).at(-1)).toMatchObject({
    severity: "error",
    message: "There is one more problem.",
  });
});

it("cuts what is long", () => {
  const [cut] = boundProblems([{ ...problem("error", "m".repeat(5_000)), hint: "h".repeat(5_000) }]);
  expect([cut?.message.length, cut?.hint?.length]).toEqual([1_001, 1_001]);
});
