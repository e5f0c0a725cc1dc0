import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ModelFile, readModels } from "./read-models.ts";
import { ReadingThreads } from "./reading-threads.ts";

const TEST_MODULE = join(import.meta.dirname, "test-worker.ts");
const GOOD =
  "version: 1.0\nsemantic_model: [{ name: m, datasets: [{ name: d, source: d, fields: [{ name: x }] }] }]";
const never = new AbortController().signal;

function fileOf(text: string, name = "m.yaml"): ModelFile[] {
  return [{ name, text }];
}

describe("a reading in a thread", () => {
  const threads = new ReadingThreads();

  it.each([
    ["what is right", GOOD],
    [
      "problems with their places",
      "name: m\ndatasets:\n  - name: d\n    sorce: x\n    fields: [{ nam: y }]\n",
    ],
    ["a file that cannot be parsed", "name: m\n  datasets: ]"],
    ["aliases", "x: &f [{ name: a }]\nname: m\ndatasets: [{ name: d, source: s, fields: *f }]"],
  ])("says the same as one here: %s", async (_what, text) => {
    expect(await threads.read(fileOf(text), "1", never)).toEqual(readModels(fileOf(text)));
  });

  it("refuses with the same words", async () => {
    const models = Array.from({ length: 51 }, (_, i) => `{ name: m${i}, datasets: [] }`);
    const text = `semantic_model: [${models.join(", ")}]`;
    await expect(threads.read(fileOf(text), "1", never)).rejects.toMatchObject({
      code: "too_large",
      message: "There are 51 models, and at most 50 can be read at once.",
      hint: "Split them into several files.",
    });
  });

  it("leaves the server its own thread, however hostile the file is", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await threads.read(fileOf(`a: [${",".repeat(90_000)}]`), "1", never);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });
});

describe("a thread that goes wrong", () => {
  const threads = new ReadingThreads({ module: TEST_MODULE, memoryMb: 48, timeoutMs: 15_000 });

  it.each([
    ["exit", { code: "unavailable", message: "The thread that read the model ended unexpectedly." }],
    ["memory", { code: "too_large", message: "The model could not be read within 48 MB of memory." }],
    ["throw", { message: "a bug" }],
  ])("fails its own reading and no other: %s", async (name, error) => {
    await expect(threads.read(fileOf(GOOD, name), "1", never)).rejects.toMatchObject(error);
    expect((await threads.read(fileOf(GOOD), "1", never)).models).toHaveLength(1);
  });

  it("has so much time and no more", async () => {
    const brief = new ReadingThreads({ module: TEST_MODULE, timeoutMs: 1_000 });
    await expect(brief.read(fileOf(GOOD, "loop"), "1", never)).rejects.toMatchObject({
      code: "timeout",
      message: "Reading the model took longer than 1 s.",
      hint: "Split the model into several files or models.",
    });
  });

  it("is ended by whoever no longer wants to wait", async () => {
    const wish = new AbortController();
    const stuck = threads.read(fileOf(GOOD, "loop"), "1", wish.signal);
    const behind = threads.read(fileOf(GOOD), "1", never);
    setTimeout(() => wish.abort(), 100);
    await expect(stuck).rejects.toMatchObject({ code: "cancelled" });
    expect((await behind).models).toHaveLength(1);
    await expect(threads.read(fileOf(GOOD), "1", wish.signal)).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("a workspace", () => {
  it("waits for its own readings, and nobody else does", async () => {
    const threads = new ReadingThreads({ module: TEST_MODULE, timeoutMs: 15_000 });
    const wish = new AbortController();
    const stuck = threads.read(fileOf(GOOD, "loop"), "1", wish.signal);
    const order: string[] = [];
    const own = threads.read(fileOf(GOOD), "1", never).then(() => order.push("own"));
    await threads.read(fileOf(GOOD), "2", never).then(() => order.push("other"));
    const impatient = new AbortController();
    const waiting = threads.read(fileOf(GOOD), "1", impatient.signal);
    impatient.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    wish.abort();
    await expect(stuck).rejects.toMatchObject({ code: "cancelled" });
    await own;
    expect(order).toEqual(["other", "own"]);
  });

  it("has so many readings that wait", async () => {
    const threads = new ReadingThreads({ module: TEST_MODULE });
    const wish = new AbortController();
    const all = Array.from({ length: 51 }, () => threads.read(fileOf(GOOD, "loop"), "1", wish.signal));
    const ends = Promise.allSettled(all);
    await expect(threads.read(fileOf(GOOD), "1", never)).rejects.toMatchObject({
      code: "rate_limited",
      message: "Too many models of this workspace are waiting.",
    });
    await sleep(10);
    wish.abort();
    expect((await ends).every(({ status }) => status === "rejected")).toBe(true);
  });
});
