import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { compose } from "../src/app/compose.ts";
import { loadConfig } from "../src/app/config.ts";
import { type Ids, type Instruction, judge, type Planned, type Verdict } from "./do/judge.ts";

/**
 * Instructions, English and German, on the demo workspace: how many are planned right, asked back about, refused, or
 * planned wrong. a and b were written before the grammar, and b was not looked at while it was made; c was written later
 * by somebody who had not seen the grammar, and has been mended with since; d was written after that, to see how far the
 * mending goes. Other sets are named as files: `bench do mine.jsonl`. With --all each plan is shown, with --totals none.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean", default: false }, totals: { type: "boolean", default: false } },
});
const OWN = join(import.meta.dirname, "do");
const files =
  positionals.length > 0
    ? positionals
    : readdirSync(OWN)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(OWN, name));
const home = mkdtempSync(join(tmpdir(), "kenning-bench-"));
const config = loadConfig({ env: { PORT: "0", KENNING_HOME: home }, cwd: home });
const app = await compose(config, { log: pino({ level: "silent" }) });
const email = (await app.identity.ensureFirstAdmin())?.email ?? "";
await app.demo.create();
await app.demo.fill();
const { token } = await app.identity.tokens.create({ email, workspace: "demo", kind: "api" });
const { url } = await app.listen();

async function call<T>(name: string, args: object): Promise<T | "blocked"> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const { result } = (await (await fetch(`${url}/mcp`, { method: "POST", headers, body })).json()) as {
    result: { isError?: boolean; structuredContent: T };
  };
  return result.isError === true ? "blocked" : result.structuredContent;
}

async function idsOf(tool: string, list: string, args: object = {}): Promise<ReadonlyMap<string, number>> {
  const found = (await call<Record<string, { name: string; id?: number; widget_id?: number }[]>>(
    tool,
    args,
  )) as Record<string, { name: string; id?: number; widget_id?: number }[]>;
  return new Map((found[list] ?? []).map(({ name, id, widget_id }) => [name, id ?? widget_id ?? 0]));
}

const ids: Ids = {
  dataset: await idsOf("list_datasets", "datasets"),
  dashboard: await idsOf("list_dashboards", "dashboards"),
  widget: await idsOf("find_widget", "widgets", { name: "", limit: 200 }),
  alert: await idsOf("list_alerts", "alerts"),
  report: await idsOf("list_reports", "reports"),
};

/** What was planned or asked, for whoever wants to see why. */
function shown(got: Planned | "blocked"): string {
  if (got === "blocked") return "\n    blocked";
  const lines = got.questions.map(({ question }) => `? ${question}`);
  for (const step of got.steps) lines.push(`${step.tool} ${JSON.stringify(step.arguments)}`);
  return lines.map((line) => `\n    ${line}`).join("");
}

console.log("| set | right | asked | refused | wrong |\n| --- | --- | --- | --- | --- |");
const missed: string[] = [];
for (const file of files) {
  const counts: Record<Verdict, number> = { right: 0, asked: 0, refused: 0, wrong: 0 };
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const one = JSON.parse(line) as Instruction;
    const got = await call<Planned>("carry_out", {
      instruction: one.say,
      dry_run: true,
      dashboard_id: one.dashboard && ids.dashboard?.get(one.dashboard),
      widget_id: one.widget && ids.widget?.get(one.widget),
    });
    const verdict = judge(one, got, ids);
    counts[verdict] += 1;
    if (verdict !== "right" || values.all) missed.push(`${one.id} ${verdict}: ${one.say}${shown(got)}`);
  }
  console.log(
    `| ${basename(file, ".jsonl")} | ${counts.right} | ${counts.asked} | ${counts.refused} | ${counts.wrong} |`,
  );
}
if (!values.totals) console.log(missed.join("\n"));
await app.close();
rmSync(home, { recursive: true, force: true });
