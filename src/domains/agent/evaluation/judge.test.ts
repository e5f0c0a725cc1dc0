import { describe, expect, it } from "vitest";
import { judge } from "./judge.ts";

const right = (expected: Parameters<typeof judge>[0], rows: unknown[][]) =>
  judge(expected, { outcome: "answer", rows: rows as never }) === "right";

describe("an answer is right", () => {
  it("in any order of rows and columns, with further columns", () => {
    const rows = [
      ["North", 1],
      ["South", 2],
    ];
    expect(
      right({ rows }, [
        ["South", 2],
        ["North", 1],
      ]),
    ).toBe(true);
    expect(
      right({ rows }, [
        [7, 2, "south"],
        [8, 1, "NORTH"],
      ]),
    ).toBe(true);
    expect(
      right({ rows }, [
        ["North", 2],
        ["South", 1],
      ]),
    ).toBe(false);
    expect(right({ rows }, [["North", 1]])).toBe(false);
    expect(right({ rows }, [...rows, ["West", 3]])).toBe(false);
    expect(right({ rows: [[1, 1]] }, [[1]])).toBe(false);
  });

  it("in the order that is asked for, where one is", () => {
    const ordered = { rows: [["a"], ["b"]], ordered: true };
    expect(right(ordered, [["a"], ["b"]])).toBe(true);
    expect(right(ordered, [["b"], ["a"]])).toBe(false);
  });

  it("as often as it should, or merely at all", () => {
    expect(right({ rows: [["a"], ["a"]] }, [["a"]])).toBe(false);
    expect(right({ rows: [["a"], ["a"]], distinct: true }, [["a"]])).toBe(true);
    expect(right({ rows: [["a"]], distinct: true }, [["a"], ["b"]])).toBe(false);
  });

  it("within rounding", () => {
    expect(right({ rows: [[1000]] }, [[1000.9]])).toBe(true);
    expect(right({ rows: [[1000]] }, [[1002]])).toBe(false);
    expect(right({ rows: [[0.0001]] }, [[0.00015]])).toBe(true);
    expect(right({ rows: [[0.25]] }, [[25]])).toBe(false);
    expect(right({ rows: [[null]] }, [[0]])).toBe(false);
    expect(right({ rows: [["9007199254740993"]] }, [["9007199254740992"]])).toBe(true);
  });

  it("however a period is written", () => {
    for (const label of ["2025-10-01", "2025-10", "2025-Q4", "2025-10-01T00:00:00"]) {
      expect(right({ rows: [["2025-10-01"]] }, [[label]])).toBe(true);
    }
    expect(right({ rows: [["2025-01-01"]] }, [[2025]])).toBe(true);
    expect(right({ rows: [["2025-01-01"]] }, [["2025-02"]])).toBe(false);
  });

  it("in the other shape that is given, and empty where it should be", () => {
    expect(right({ rows: [[1]], alt_rows: [[2]] }, [[2]])).toBe(true);
    const several = { rows: [[1]], alt_rows: [[[2]], [["a", 3]]] };
    expect(right(several, [["a", 3]])).toBe(true);
    expect(right(several, [["a", 2]])).toBe(true);
    expect(right(several, [["b", 3]])).toBe(false);
    expect(right({ rows: [] }, [])).toBe(true);
    expect(right({ rows: [] }, [[1]])).toBe(false);
  });

  it("when it is the outcome that is expected", () => {
    expect(judge({ expect: "refuse" }, { outcome: "refuse", rows: [] })).toBe("right");
    expect(judge({ expect: "clarify" }, { outcome: "answer", rows: [[1]] })).toBe("wrong");
    expect(judge({ expect: "answer", rows: [[1]] }, { outcome: "refuse", rows: [] })).toBe("wrong");
    expect(judge({}, { outcome: "answer", rows: [] })).toBe("unknown");
  });
});
