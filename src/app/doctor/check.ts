import type { Config } from "../config.ts";

/** What one check of the doctor found. */
export interface Finding {
  status: "ok" | "warn" | "fail";
  /** What is the case, in one sentence. */
  message: string;
  /** What to do about it. */
  advice?: string;
}

export interface Check {
  name: string;
  /** The check without whose success this one can find nothing out. */
  needs?: string;
  /** Longest that it may take, if that is more than usual. */
  limitMs?: number;
  run(config: Config): Finding | Promise<Finding>;
}

export function ok(message: string): Finding {
  return { status: "ok", message };
}

export function warn(message: string, advice: string): Finding {
  return { status: "warn", message, advice };
}

export function fail(message: string, advice: string): Finding {
  return { status: "fail", message, advice };
}

/** A size for people: `1.5 GiB`. */
export function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const amount = bytes / 1024 ** step;
  return `${amount >= 100 || step === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`;
}
