import type { ReactNode } from "react";
import { cx } from "./classes.ts";

const TONES = {
  plain: "bg-hover text-soft",
  good: "bg-good-tint text-good",
  warn: "bg-warn-tint text-warn",
  bad: "bg-bad-tint text-bad",
  accent: "bg-tint text-accent",
} as const;

export function Badge({ tone = "plain", children }: { tone?: keyof typeof TONES; children: ReactNode }) {
  return (
    <span
      className={cx(
        "inline-flex h-5 items-center gap-1 rounded-full px-2 font-medium text-caption whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
