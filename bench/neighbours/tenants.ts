import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { median, p95, Table } from "../guard/measure.ts";
import { post, toolCall } from "./http.ts";

type Call = (name: string, args: object) => Promise<Record<string, unknown>>;

/** What one workspace keeps the server busy with, until it is told to stop. */
interface Hog {
  name: string;
  /** Makes ready what it needs; what it gives is done again and again by so many clients at once. */
  prepare(call: Call): Promise<() => Promise<unknown>>;
  clients: number;
}

/** Takes every request and answers none. */
const hanging = createServer((request) => void request.resume());

const WIDE = Object.fromEntries(
  Array.from({ length: 900 }, (_, n) => [`${n % 2 === 0 ? "revenue" : "region"} ${n}`, n]),
);
const ALERTS = 3;
const CHANNELS = 20;

const HOGS: readonly Hog[] = [
  {
    name: `${ALERTS * CHANNELS} webhooks that never answer`,
    clients: 1,
    async prepare(call) {
      const { port } = hanging.address() as AddressInfo;
      const alerts = await Promise.all(
        Array.from({ length: ALERTS }, (_, alert) =>
          makeAlert(call, {
            channels: Array.from(
              { length: CHANNELS },
              (_, n) => `http://127.0.0.1:${port}/${alert * CHANNELS + n}`,
            ),
          }),
        ),
      );
      return () => Promise.all(alerts.map((alert_id) => call("test_alert", { alert_id })));
    },
  },
  {
    name: "plans of 2,000 characters over 900 columns",
    clients: 8,
    async prepare(call) {
      await call("push_data", { dataset_name: "wide", rows: [WIDE] });
      const instruction = `Create a dashboard with ${"revenue by region, orders by month, ".repeat(54)}`;
      return () => call("carry_out", { instruction, dry_run: true });
    },
  },
];

async function makeAlert(call: Call, to: object): Promise<number> {
  const { dataset_id } = await call("push_data", { dataset_name: "told", rows: [{ n: 1 }] });
  const { alert } = await call("create_alert", { dataset_id, name: "told", condition: "n > 0", ...to });
  return (alert as { id: number }).id;
}

/** A small call and a mail of one workspace while another keeps the server busy, and what the server holds afterwards. */
export async function measureTenants(roundMs: number, only: string): Promise<void> {
  await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
  const server = fork(new URL("server.ts", import.meta.url), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [{ url, tokens }] = (await once(server, "message")) as [{ url: string; tokens: string[] }];
  const agent = new Agent({ keepAlive: true });
  const callAs =
    (token = ""): Call =>
    async (name, args) => {
      const { body } = await post(agent, url, token, toolCall(name, args));
      // What takes a while is answered by a stream of one event.
      const answer = JSON.parse(/^data: (.+)$/m.exec(body)?.[1] ?? body);
      if (answer.result?.isError !== false) throw new Error(`${name}: ${body.slice(0, 300)}`);
      return answer.result.structuredContent;
    };
  try {
    await measure(callAs(tokens[0]), callAs(tokens[2]), server.pid, roundMs, only);
  } finally {
    agent.destroy();
    hanging.close();
    hanging.closeAllConnections();
    server.send("stop");
    await once(server, "exit");
  }
}

async function measure(
  ours: Call,
  theirs: Call,
  pid: number | undefined,
  roundMs: number,
  only: string,
): Promise<void> {
  const mailed = await makeAlert(theirs, { recipients: "c@example.com" });
  const small = () => theirs("whoami", {});
  const mail = async () => {
    const { deliveries } = await theirs("test_alert", { alert_id: mailed });
    const [sent] = deliveries as { state: string }[];
    if (sent?.state !== "sent") throw new Error(`the mail is ${sent?.state}`);
  };
  const table = new Table("Calls and mails of `theirs` while `ours` keeps the server busy, ms", [
    "what `ours` does",
    "how often it ended",
    "a call alone: p50",
    "p95",
    "beside it: p50",
    "p95",
    "longest",
    "a mail alone: p50",
    "p95",
    "beside it: p50",
    "p95",
    "longest",
    "the server's memory after it, MB",
  ]);
  for (const { name, prepare, clients } of HOGS.filter((hog) => hog.name.includes(only))) {
    const work = await prepare(ours);
    await Promise.all([small(), mail()]);
    const both = async () => [await timesOf(small, roundMs), await timesOf(mail, roundMs)];
    const alone = await both();
    let [isOver, ended] = [false, 0];
    const keep = async () => {
      for (; !isOver; ended += 1) await work().catch(() => undefined);
    };
    const busy = Promise.all(Array.from({ length: clients }, keep));
    await delay(1_000);
    const beside = await both();
    isOver = true;
    await busy;
    const cells = [0, 1].flatMap((n) => {
      const [before = [], after = []] = [alone[n], beside[n]];
      return [median(before), p95(before), median(after), p95(after), Math.max(...after)];
    });
    table.add([name, String(ended), ...cells, memoryMb(pid)]);
  }
}

async function timesOf(work: () => Promise<unknown>, ms: number): Promise<number[]> {
  const times: number[] = [];
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; await delay(20)) {
    const beforeMs = performance.now();
    await work();
    times.push(performance.now() - beforeMs);
  }
  return times;
}

function memoryMb(pid: number | undefined): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kb) / 1_024);
}
