import { and, type Column, gt, inArray, isNull, ne, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Embedding } from "../embeddings/index.ts";
import type { KeptVectors } from "../retrieval/index.ts";
import type { Catalog } from "./catalog.ts";

interface VectorTables<Row> {
  /** The rows whose texts are searched. */
  texts: PgTable;
  id: PgColumn;
  vectors: PgTable;
  /** Of a vector: the row that it belongs to, and its model. */
  of: Column;
  fingerprint: Column;
  rowOf(id: number, embedding: Embedding): Row;
}

/** Base store of texts whose vectors stand in a table beside them. */
export abstract class CatalogVectors<Row extends Record<string, unknown>>
  implements Pick<KeptVectors, "keep" | "dropOthers">
{
  protected readonly catalog: Catalog;
  readonly #tables: VectorTables<Row>;

  constructor(catalog: Catalog, tables: VectorTables<Row>) {
    this.catalog = catalog;
    this.#tables = tables;
  }

  /** True for those without a vector, where these were joined. */
  protected isMissing({ after, ids }: { after: number; ids?: readonly number[] }): SQL | undefined {
    const { id, of } = this.#tables;
    return and(gt(id, after), ids === undefined ? undefined : inArray(id, [...ids]), isNull(of));
  }

  async keep(embedded: readonly { id: number; embedding: Embedding }[]): Promise<void> {
    const { texts, id, vectors, rowOf } = this.#tables;
    await this.catalog.transaction(async (tx) => {
      const ids = embedded.map((one) => one.id);
      const left = await tx.select({ id }).from(texts).where(inArray(id, ids)).for("key share");
      const there = new Set(left.map((row) => row.id));
      const rows = embedded.filter((one) => there.has(one.id)).map((one) => rowOf(one.id, one.embedding));
      if (rows.length > 0) await tx.insert(vectors).values(rows).onConflictDoNothing();
    });
  }

  async dropOthers(fingerprint: string): Promise<void> {
    const { vectors, fingerprint: model } = this.#tables;
    await this.catalog.db.delete(vectors).where(ne(model, fingerprint));
  }
}
