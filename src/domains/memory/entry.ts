import type { Entry } from "../../platform/retrieval/index.ts";
import { timeText } from "./define.ts";
import type { FoundVersion } from "./versions.store.ts";

/** "Anna Müller: I moved to Lemgo." */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2}): (?=\S)/u;

/** Who says something, and what; only of what was said one after the other, where it is from the same source. */
function spoken({ content, source }: Pick<FoundVersion, "content" | "source">) {
  const [prefix = "", speaker] = (source === null ? null : SPEAKER.exec(content)) ?? [];
  return { speaker, body: content.slice(prefix.length) };
}

/** What a vector is made of. A name in it would turn the direction to whatever else is about that name. */
export function embeddedText(version: Pick<FoundVersion, "title" | "content" | "source">): string {
  const { body } = spoken(version);
  return version.title === null ? body : `${version.title}. ${body}`;
}

/** A version as the search takes it. */
export function entryOf(row: FoundVersion, seq: number): Entry {
  const isOpen = row.supersededAt === null && row.retractedAt === null;
  const { speaker, body } = spoken(row);
  const ends = row.ends.map(({ validTo }) => validTo).slice(0, -1);
  const earlier = [row.statedValidTo?.toISOString() ?? null, ...ends];
  const learntAt = row.ends.at(-1)?.recordedAt;
  const latest = earlier.includes(null)
    ? undefined
    : Math.max(...earlier.map((end) => Date.parse(end ?? "")));
  return {
    id: row.id,
    seq,
    body,
    ...(row.title !== null && { title: row.title }),
    context: [row.source ?? "", ...row.tags, speaker ?? "", dateOf(row)].join(" ").trim(),
    // What has the same source was said one after the other; what was superseded is no longer part of it.
    ...(row.source !== null && isOpen && { thread: { key: row.source, order: row.memoryId } }),
    ...(speaker !== undefined && { speaker }),
    attributes: {
      open: isOpen ? 1 : 0,
      retracted: row.retractedAt === null ? 0 : 1,
      type: row.type,
      tag: row.tags.map((tag) => tag.toLowerCase()),
      ...(row.source !== null && { source: row.source.toLowerCase() }),
    },
    validFrom: row.validFrom.getTime(),
    ...(row.validTo !== null && { validTo: row.validTo.getTime() }),
    knownFrom: row.recordedAt.getTime(),
    ...(row.retractedAt !== null && { knownTo: row.retractedAt.getTime() }),
    ...(learntAt !== undefined && {
      earlierEnd: { until: Date.parse(learntAt), ...(latest !== undefined && { validTo: latest }) },
    }),
  };
}

/** A day that was said, and not only that it was then that somebody stored it: "27 March 2023". */
function dateOf({ validFrom, recordedAt }: FoundVersion): string {
  if (validFrom.getTime() === recordedAt.getTime()) return "";
  const day = validFrom.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${day} ${timeText(validFrom).slice(0, 10)}`;
}
