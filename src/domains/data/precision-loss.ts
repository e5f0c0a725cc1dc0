import { AppError } from "../../kernel/errors.ts";
import {
  type Analytics,
  lostDigitsSql,
  type Part,
  type RoundedColumn,
  roundedColumns,
  widenColumns,
} from "../../platform/analytics/index.ts";
import type { Column, Dataset } from "./dataset.ts";
import { concurrentChange } from "./datasets.store.ts";

/**
 * Refuses rows beside which long whole numbers, old or new, would become others: fractions make a column DOUBLE.
 * All rows count, also those that policies keep from the caller. True when values were looked at, which then holds
 * for this version of the dataset only.
 */
export async function assertNoPrecisionLoss(
  query: Analytics["query"],
  scope: string,
  existing: Dataset & { paths: () => Promise<string[]> },
  part: Part,
): Promise<boolean> {
  const after = widenColumns(existing.columns, part.columns);
  const old = roundedColumns(existing.columns, after);
  const added = roundedColumns(part.columns, after);
  const lost = async (parts: string[], columns: RoundedColumn[], version: string) => {
    const tableView = { name: "rows", parts, columns, version };
    const sql = lostDigitsSql(columns, '"rows"');
    const { rows } = await query({ scope, tableViews: [tableView], sql, limits: { rows: 1 } });
    return columns.find((_, index) => rows[0]?.[index] === true);
  };
  if (old.length > 0) {
    const column = await lost(await existing.paths(), old, `${existing.id}.${existing.version}.digits`);
    if (column !== undefined) throw precisionLoss(column, "It holds");
  }
  if (added.length > 0) {
    const column = await lost([part.path], added, part.key);
    if (column !== undefined) throw precisionLoss(column, "The new rows have");
  }
  return old.length + added.length > 0;
}

/** As `widenColumns`, where nobody has looked whether digits would be lost. */
export function widenUnchecked(before: readonly Column[], added: readonly Column[]): Column[] {
  const after = widenColumns(before, added);
  if (roundedColumns(before, after).length + roundedColumns(added, after).length === 0) return after;
  throw concurrentChange();
}

function precisionLoss({ name, type, rounded }: RoundedColumn, who: string): AppError {
  return new AppError(
    "conflict",
    `Column "${name}" cannot have numbers with fractions beside long ones: ${who} numbers of more than 15 digits, which would be changed.`,
    {
      hint: "Send whole numbers only, or use another column name.",
      data: { column: name, type, incomingType: rounded },
    },
  );
}
