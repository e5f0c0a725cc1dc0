import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { GATES, type Gate } from "../../registry/admission.ts";

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300];

/** Few, because each is a histogram of its own for every tool; the code itself is counted apart. */
const OUTCOMES: Readonly<Record<string, string>> = {
  ok: "ok",
  waiting: "waiting",
  unauthorized: "refused",
  forbidden: "refused",
  plan_limit: "refused",
  rate_limited: "refused",
  bad_request: "wrong",
  not_found: "wrong",
  conflict: "wrong",
  gone: "wrong",
  too_large: "wrong",
  unsupported: "wrong",
  cancelled: "wrong",
};

/** What Prometheus reads at /metrics. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #http = new Histogram({
    name: "kenning_http_request_seconds",
    help: "HTTP requests by route, method and status, until the last byte of the answer is out.",
    labelNames: ["route", "method", "status"],
    buckets: SECONDS,
    registers: [this.#registry],
  });
  readonly #calls = new Histogram({
    name: "kenning_call_seconds",
    help: "Calls of tools, resources, prompts and completions by surface and outcome: ok, waiting for the client, refused, wrong (the caller's mistake) or failed (ours).",
    labelNames: ["surface", "kind", "name", "outcome"],
    buckets: SECONDS,
    registers: [this.#registry],
  });
  readonly #errors = new Counter({
    name: "kenning_call_errors_total",
    help: "Calls that failed, by surface and error code.",
    labelNames: ["surface", "code"],
    registers: [this.#registry],
  });
  readonly #refused = new Counter({
    name: "kenning_refused_total",
    help: "Requests and calls that were refused before they ran, or in a queue, by the gate that did it.",
    labelNames: ["gate"],
    registers: [this.#registry],
  });
  readonly #lost = new Counter({
    name: "kenning_audit_events_lost_total",
    help: "Audit events that were never written: the buffer was full, or the database refused them.",
    registers: [this.#registry],
  });
  readonly #runs = new Counter({
    name: "kenning_query_runs_ended_total",
    help: "Runs of queries that ended, by how they did.",
    labelNames: ["status"],
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry, prefix: "kenning_" });
    // A gate that has refused nobody yet is there with 0, so that its rate can be told from the beginning.
    for (const gate of GATES) this.#refused.inc({ gate }, 0);
  }

  /** A number that is asked for when somebody looks. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  observeHttp(route: string, method: string, status: number, ms: number): void {
    this.#http.observe({ route, method, status: String(status) }, ms / 1_000);
  }

  observeCall(call: { surface: string; kind: string; name: string }, code: string, ms: number): void {
    // Addresses of resources are unbounded; as a label they would fill the memory of whoever scrapes.
    const name = ["resource", "subscription"].includes(call.kind) ? "" : call.name;
    this.#calls.observe({ ...call, name, outcome: OUTCOMES[code] ?? "failed" }, ms / 1_000);
    if (code !== "ok" && code !== "waiting") this.#errors.inc({ surface: call.surface, code });
  }

  refused(gate: Gate): void {
    this.#refused.inc({ gate });
  }

  auditLost(count: number): void {
    this.#lost.inc(count);
  }

  runEnded(status: string): void {
    this.#runs.inc({ status });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
