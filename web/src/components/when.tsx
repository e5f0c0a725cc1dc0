import { exactTime, relativeTime } from "../words/figures.ts";

/** How long ago, with the exact time on hover. */
export function When({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
      {relativeTime(at)}
    </time>
  );
}
