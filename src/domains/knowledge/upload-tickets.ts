import { randomUUID } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import type { RateLimiter, SharedState } from "../../platform/state/index.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { JobOwner } from "../identity/index.ts";
import { LIMITS } from "./limits.ts";

export const UPLOAD_HEADER = "X-Upload-Token";

const CONTEXT = "document upload";
const LIFETIME_MS = LIMITS.knowledge.uploadSeconds * 1_000;
const claims = z.object({
  id: z.string(),
  baseId: z.int(),
  folder: z.string(),
  name: z.string(),
  untilMs: z.number(),
  owner: z.custom<JobOwner>((value) => typeof value === "object" && value !== null && "userId" in value),
});

/** Where one file goes, and in whose name. */
export type UploadTicket = Omit<z.output<typeof claims>, "id" | "untilMs">;

/** Short-lived tokens with which one file can be sent that is too large for a message. */
export class UploadTickets {
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #uses: RateLimiter;

  constructor(vault: Vault, clock: Clock, state: Pick<SharedState, "limiter">) {
    this.#vault = vault;
    this.#clock = clock;
    this.#uses = state.limiter("document_uploads", { points: 1, windowMs: LIFETIME_MS });
  }

  issue(ticket: UploadTicket): string {
    const untilMs = this.#clock.now().getTime() + LIFETIME_MS;
    return this.#vault.seal(JSON.stringify({ ...ticket, id: randomUUID(), untilMs }), CONTEXT);
  }

  /** Throws `unauthorized` for what is missing, forged or too old. */
  verify(token: string | undefined): UploadTicket & { spend: () => Promise<void> } {
    const { id, untilMs, ...ticket } = this.#open(token);
    if (untilMs < this.#clock.now().getTime()) throw refused();
    return { ...ticket, spend: () => this.#spend(id) };
  }

  /** Throws where the token has brought a file already. */
  async #spend(id: string): Promise<void> {
    const { allowed } = await this.#uses.consume(id);
    if (!allowed) throw refused();
  }

  #open(token: string | undefined): z.output<typeof claims> {
    try {
      return claims.parse(JSON.parse(this.#vault.open(token ?? "", CONTEXT).reveal()));
    } catch (cause) {
      throw refused(cause);
    }
  }
}

function refused(cause?: unknown): AppError {
  return new AppError("unauthorized", "The upload token is missing, wrong, too old, or was used already.", {
    hint: `Ask for a new one and send it as ${UPLOAD_HEADER}.`,
    cause,
  });
}
