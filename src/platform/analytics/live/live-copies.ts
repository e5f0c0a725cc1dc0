import { AppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { Part, QueryBatch, QueryRequest, RowsRequest, TableView } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";

export interface CopyParts {
  stream(request: QueryRequest): AsyncIterable<QueryBatch>;
  rowsToPart(request: RowsRequest): Promise<Part>;
  newKey(): string;
  /** Deletes a file that nothing reads any more. */
  remove(part: Part): Promise<void>;
}

interface Copy {
  view: Promise<{ view: TableView; part: Part }>;
  until: number;
}

/**
 * Bounded copies of live views as parts: samples for whoever looks at data, and whole views, where a statement needs
 * rows of two places at once. Policies have been applied to what is copied.
 */
export class LiveCopies {
  readonly #parts: CopyParts;
  readonly #copies = new Map<string, Copy>();

  constructor(parts: CopyParts) {
    this.#parts = parts;
  }

  /** The same request over copies in the place of its live views. */
  async localise(request: QueryRequest, { isSample }: { isSample: boolean }): Promise<QueryRequest> {
    await this.#sweep();
    const { sampleRows: _, ...rest } = request;
    const tableViews = await Promise.all(
      request.tableViews.map((view) =>
        view.live === undefined ? view : this.#copyOf(view, request, isSample),
      ),
    );
    return { ...rest, tableViews };
  }

  async #copyOf(view: TableView, request: QueryRequest, isSample: boolean): Promise<TableView> {
    const { liveCopyMs, liveSampleMs } = LIMITS.analytics;
    const most = request.sampleRows ?? LIMITS.analytics.liveCopyRows;
    const { live, version, select } = view;
    const key = JSON.stringify([live?.source.key, live?.from, version, select, most, isSample]);
    const known = this.#copies.get(key);
    const copy = known ?? {
      view: this.#copy(view, request, { most, isSample }),
      until: Date.now() + (isSample ? liveSampleMs : Math.max(liveCopyMs, live?.freshMs ?? 0)),
    };
    if (known === undefined) {
      this.#copies.set(key, copy);
      copy.view.catch(() => this.#copies.delete(key));
    }
    return { ...(await copy.view).view, name: view.name, ...(view.isHidden === true && { isHidden: true }) };
  }

  async #copy(
    view: TableView,
    { scope, signal }: QueryRequest,
    { most, isSample }: { most: number; isSample: boolean },
  ): Promise<{ view: TableView; part: Part }> {
    const { isHidden: _, ...open } = view;
    const sql = `SELECT * FROM ${quoteName(view.name)} LIMIT ${isSample ? most : most + 1}`;
    const rows: Record<string, unknown>[] = [];
    let columns: QueryBatch["columns"] = [];
    for await (const batch of this.#parts.stream({ scope, tableViews: [open], sql, signal })) {
      columns = batch.columns;
      for (const row of batch.rows)
        rows.push(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])));
      if (rows.length > most) throw tooMany(view, most);
    }
    const version = `${view.version} copied ${this.#parts.newKey()}`;
    if (rows.length === 0) {
      const part = { key: "", path: "", bytes: 0, sha256: "", rows: 0, columns };
      return { view: { name: view.name, parts: [], columns, version }, part };
    }
    const part = await this.#parts.rowsToPart({ rows, columns, key: this.#parts.newKey(), scope, signal });
    return { view: { name: view.name, parts: [part.path], columns: part.columns, version }, part };
  }

  async #sweep(): Promise<void> {
    const now = Date.now();
    const old = [...this.#copies].filter(
      ([, { until }], i) => until < now || i < this.#copies.size - LIMITS.analytics.liveCopies,
    );
    for (const [key, { view }] of old) {
      this.#copies.delete(key);
      const { part } = await view.catch(() => ({ part: undefined }));
      // Statements that run with it have opened it by then.
      if (part !== undefined && part.key !== "")
        setTimeout(() => void this.#parts.remove(part), LIMITS.analytics.queryMs).unref();
    }
  }
}

function tooMany({ name, live }: TableView, most: number): AppError {
  return new AppError(
    "too_large",
    `The statement needs rows of several places, and ${name} of ${live?.source.name} has more than the ${most.toLocaleString("en")} that are copied for that.`,
    { hint: "Ask each by itself, or let {tool:create_query} fill a dataset with what you need of it." },
  );
}
