import { AppError } from "../../../kernel/errors.ts";
import { MS } from "../../../kernel/time.ts";
import type { TokenKind } from "../../../registry/caller.ts";
import { TOKEN_RULES } from "./token-kinds.ts";

/** When a token made now ends. Every token ends: a forgotten one must not be good for ever. */
export function expiryFor(kind: TokenKind, now: Date, wantedMs?: number): Date {
  const { defaultMs, minMs, maxMs } = TOKEN_RULES[kind].lifetime;
  const lifeMs = wantedMs ?? defaultMs;
  if (!Number.isFinite(lifeMs) || lifeMs < minMs || lifeMs > maxMs) {
    throw new AppError("bad_request", `A token of kind ${kind} lives for ${span(minMs)} to ${span(maxMs)}.`, {
      hint: `Choose a time in that range, or none for ${span(defaultMs)}.`,
    });
  }
  return new Date(now.getTime() + Math.floor(lifeMs));
}

function span(ms: number): string {
  if (ms === 365 * MS.day) return "1 year";
  if (ms % MS.day === 0) return count(ms / MS.day, "day");
  if (ms % MS.hour === 0) return count(ms / MS.hour, "hour");
  return count(Math.round(ms / MS.minute), "minute");
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
