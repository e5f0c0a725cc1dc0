import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { median, print, seconds } from "./data/report.ts";
import { Kenning } from "./memory/server.ts";

/**
 * 10,000 alerts that are due at the same moment and 100 reports at 08:00, from due to checked and sent; beside what the
 * same conditions take as calls of get_data, the same PDF as calls of export_dashboard, and a small call meanwhile.
 */
const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, datasets: { type: "string", default: "100" } },
});
const DATASETS = values.quick ? 20 : Number(values.datasets);
const PER_DATASET = values.quick ? 10 : Math.ceil(10_000 / DATASETS);
const REPORTS = values.quick ? 10 : 100;
const ALERTS = DATASETS * PER_DATASET;
const SAMPLES = 100;

const kenning = await Kenning.start();
const token = await kenning.workspace("bench");
const database = new pg.Client(kenning.hello.databaseUrl);
await database.connect();
const call = <T>(name: string, args: object) => kenning.call<T>(token, name, args, "/mcp");
const count = async (query: string) => Number((await database.query(query)).rows[0].count);

async function until(query: string, wanted: number): Promise<number> {
  const started = performance.now();
  while ((await count(query)) < wanted) await sleep(50);
  return performance.now() - started;
}

/** A small call again and again, until this is done. */
async function beside(work: Promise<unknown>): Promise<number[]> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  const times: number[] = [];
  while (!isDone) {
    const started = performance.now();
    await call("list_alerts", { limit: 1 });
    times.push(performance.now() - started);
    await sleep(20);
  }
  await ended;
  return times;
}

const at = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

async function due(kind: string): Promise<void> {
  await database.query("UPDATE schedules SET next_at = now() WHERE kind = $1", [kind]);
  await database.query("SELECT pg_notify('kenning_schedules', '')");
}

try {
  const rows = Array.from({ length: 1_000 }, (_, i) => ({
    id: i,
    region: `r${i % 10}`,
    amount: (i * 37) % 1_000,
  }));
  const ids: number[] = [];
  for (let i = 0; i < DATASETS; i += 1) {
    const { dataset_id } = await call<{ dataset_id: number }>("push_data", {
      dataset_name: `Data ${i}`,
      rows,
    });
    ids.push(dataset_id);
    await call("create_alert", {
      dataset_id,
      name: `Alert ${i}`,
      condition: "amount > 998",
      recipients: "a@example.com",
    });
  }
  // The others have conditions of their own, find nothing, and tell nobody.
  await database.query(
    `INSERT INTO alerts (workspace_id, dataset_id, name, type, condition, c9ql, sentence, recipients, webhooks, frequency, start_time, zone, realtime, owner_id, created_at, state_since)
     SELECT workspace_id, dataset_id, name || '.' || n, type, condition, 'select * where amount > ' || 2000 + n, sentence, '[]', '[]', frequency, start_time, zone, realtime, owner_id, created_at, state_since
     FROM alerts, generate_series(2, $1::int) n`,
    [PER_DATASET],
  );
  await database.query(
    `INSERT INTO schedules (kind, subject, unit, every, "time", zone, anchor, next_at, zone_rules)
     SELECT 'alert', a.id, s.unit, s.every, s."time", s.zone, s.anchor, s.next_at, s.zone_rules
     FROM alerts a, (SELECT * FROM schedules LIMIT 1) s
     WHERE NOT EXISTS (SELECT FROM schedules x WHERE x.kind = 'alert' AND x.subject = a.id)`,
  );

  const alone: number[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const started = performance.now();
    await call("list_alerts", { limit: 1 });
    alone.push(performance.now() - started);
  }
  const single: number[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const started = performance.now();
    await call("get_data", {
      dataset_id: ids[i % ids.length],
      c9ql: `where amount > ${3_000 + i}`,
      limit: 1,
    });
    single.push(performance.now() - started);
  }
  await due("alert");
  const started = performance.now();
  let takenMs = 0;
  const checked = (async () => {
    takenMs = await until("SELECT count(*) FROM schedule_runs", ALERTS);
    await until("SELECT count(*) FROM alerts WHERE checked_at IS NOT NULL", ALERTS);
    return performance.now() - started;
  })();
  const meanwhile = await beside(checked);
  const checkedMs = await checked;
  await until("SELECT count(*) FROM deliveries WHERE state = 'sent'", DATASETS);
  const toldMs = performance.now() - started;
  print(
    `${ALERTS.toLocaleString("en")} alerts on ${DATASETS} datasets of 1,000 rows, due at once; ${DATASETS} of them match`,
    [
      ["", "time"],
      ["all taken, each with its run and job", `${seconds(takenMs)} s`],
      ["all checked", `${seconds(checkedMs)} s (${(ALERTS / (checkedMs / 1_000)).toFixed(0)} a second)`],
      ["all who match told", `${seconds(toldMs)} s`],
      ["the same condition as a call of get_data, p50", ms(median(single))],
      ["a small call alone, p50 / p95", `${ms(median(alone))} / ${ms(at(alone, 0.95))}`],
      ["a small call meanwhile, p50 / p95", `${ms(median(meanwhile))} / ${ms(at(meanwhile, 0.95))}`],
    ],
  );

  const charts = ["column", "bar", "pie", "line", "donut", "treemap", "funnel", "datagrid2"];
  const widgets = charts.map((chart_type, i) => ({
    name: `Widget ${i}`,
    dataset_id: ids[i % ids.length],
    chart_type,
    x_axis: "region",
    y_axis: ["amount"],
  }));
  const boards: number[] = [];
  for (let i = 0; i < 10; i += 1)
    boards.push(
      (await call<{ dashboard_id: number }>("create_dashboard", { name: `Board ${i}`, widgets }))
        .dashboard_id,
    );
  for (let i = 0; i < REPORTS; i += 1)
    await call("create_report", {
      dashboard_id: boards[i % boards.length],
      name: `Report ${i}`,
      recipients: "a@example.com",
    });
  const pdf: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const begun = performance.now();
    await call("export_dashboard", { dashboard_id: boards[i % boards.length] });
    pdf.push(performance.now() - begun);
  }
  const before = await count("SELECT count(*) FROM deliveries WHERE state = 'sent'");
  await due("report");
  const sentAt = performance.now();
  const sent = until("SELECT count(*) FROM deliveries WHERE state = 'sent'", before + REPORTS);
  const besideReports = await beside(sent);
  await sent;
  const sentMs = performance.now() - sentAt;
  print(`${REPORTS} reports of dashboards with 8 widgets, due at once, as PDF to one recipient each`, [
    ["", "time"],
    ["all made and sent", `${seconds(sentMs)} s (${ms(sentMs / REPORTS)} each)`],
    ["the same PDF as a call of export_dashboard, p50", ms(median(pdf))],
    ["a small call meanwhile, p50 / p95", `${ms(median(besideReports))} / ${ms(at(besideReports, 0.95))}`],
  ]);
} finally {
  await database.end();
  await kenning.stop();
}
