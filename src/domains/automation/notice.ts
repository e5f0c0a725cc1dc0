import { clip } from "../../kernel/text.ts";
import type { Column, JsonValue } from "../../platform/analytics/index.ts";
import { type Attachment, htmlOf, type Letter, type Message, textOf } from "../../platform/delivery/index.ts";
import { LIMITS as DELIVERY } from "../../platform/delivery/limits.ts";
import { exportText } from "../data/index.ts";
import type { AlertTransition } from "./alert-state.ts";
import type { Alert } from "./alerts.store.ts";
import type { MatchedRows } from "./evaluate.ts";
import { LIMITS } from "./limits.ts";

/** Content of a notice. */
export interface NoticeContent {
  happening: Exclude<AlertTransition, "repaired">;
  isTest: boolean;
  says: string;
  matched: MatchedRows | null;
  datasetName: string;
  at: Date;
  appUrl: string;
}

const PREFIXES = {
  fired: "",
  changed: "Changed: ",
  recovered: "Recovered: ",
  error: "Cannot be checked: ",
} as const;

/** Message to the recipients of an alert, rendered once. */
export async function noticeOf(alert: Alert, told: NoticeContent): Promise<Message> {
  const { happening, isTest, says, matched, datasetName, at, appUrl } = told;
  const named = alert.subject ?? `Alert: ${alert.name}`;
  const subject = `${isTest ? "Test: " : ""}${PREFIXES[happening]}${named}`;
  const attached = matched === null ? undefined : await csvOf(alert.name, matched);
  const letter: Letter = {
    title: `${PREFIXES[happening]}${alert.name}`,
    when: `${datasetName}, checked at ${momentOf(at, alert.zone)}`,
    paragraphs: [...(isTest ? ["This is a test; nothing was recorded."] : []), says],
    table: matched === null ? undefined : tableOf(matched),
    link: { label: "Open Kenning", url: appUrl },
    notes: [
      ...(attached === undefined ? [] : [attached.says]),
      // What was found says it already.
      ...(alert.type !== "conditional" || says.includes(alert.sentence)
        ? []
        : [`Looks for: ${alert.sentence}`]),
    ],
  };
  const data = {
    alert_id: alert.id,
    alert_name: alert.name,
    happening,
    is_test: isTest,
    says,
    matched_rows: matched?.total ?? null,
    dataset_id: alert.datasetId,
    dataset_name: datasetName,
    checked_at: at.toISOString(),
  };
  return {
    subject: clip(subject, DELIVERY.delivery.subjectCharacters),
    text: textOf(letter),
    html: htmlOf(letter),
    attachments: attached === undefined ? [] : [attached.file],
    topic: `alert:${alert.id}`,
    event: { type: `alert.${happening}`, data },
  };
}

/** The first rows. */
function tableOf({ columns, rows, total }: MatchedRows): Letter["table"] {
  const { shownRows } = LIMITS.alerts;
  const names = columns.map(({ name }) => name);
  const first = rows.slice(0, shownRows).map((row) => names.map((name) => shown(row[name] ?? null)));
  return { columns: names, rows: first, more: Math.max(0, total - first.length) };
}

function shown(value: JsonValue): string {
  const text = typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
  return clip(text.replace(/\s+/g, " "), LIMITS.alerts.shownCharacters);
}

/** As many of the rows as a message may carry. */
async function csvOf(
  name: string,
  { columns, rows, total }: MatchedRows,
): Promise<{ file: Attachment; says: string }> {
  let taken = rows;
  let text = await csvText(columns, taken);
  while (Buffer.byteLength(text) > DELIVERY.delivery.attachmentBytes && taken.length > 0) {
    taken = taken.slice(0, Math.floor(taken.length / 2));
    text = await csvText(columns, taken);
  }
  const isAll = taken.length === total;
  const says = isAll ? "The rows are attached." : `The first ${taken.length} of ${total} rows are attached.`;
  const fileName = `${name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "alert"}.csv`;
  return { file: { name: fileName, mimeType: "text/csv", text }, says };
}

async function csvText(
  columns: readonly Column[],
  rows: readonly Record<string, JsonValue>[],
): Promise<string> {
  const values = rows.map((row) => columns.map(({ name }) => row[name] ?? null));
  async function* batches() {
    yield { columns: [...columns], rows: values };
  }
  const { content } = await exportText(batches(), { format: "csv", escapeFormulas: true });
  return content.toString("utf8");
}

/** A moment as people of a time zone write it. */
export function momentOf(at: Date, zone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: zone,
  });
  return `${format.format(at)} (${zone})`;
}
