import { z } from "zod";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { JobOwner } from "../identity/index.ts";
import { LIMITS } from "./limits.ts";

export const UPLOAD_HEADER = "X-Upload-Token";

const CONTEXT = "document upload";
const claims = z.object({
  baseId: z.int(),
  folder: z.string(),
  name: z.string(),
  untilMs: z.number(),
  owner: z.custom<JobOwner>((value) => typeof value === "object" && value !== null && "userId" in value),
});

/** Where one file goes, and in whose name. */
export type UploadTicket = Omit<z.output<typeof claims>, "untilMs">;

/** Short-lived tokens with which one file can be sent that is too large for a message. */
export class UploadTickets {
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor(vault: Vault, clock: Clock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  issue(ticket: UploadTicket): string {
    const untilMs = this.#clock.now().getTime() + LIMITS.knowledge.uploadSeconds * 1_000;
    return this.#vault.seal(JSON.stringify({ ...ticket, untilMs }), CONTEXT);
  }

  /** Throws `unauthorized` for what is missing, forged or too old. */
  verify(token: string | undefined): UploadTicket {
    const { untilMs, ...ticket } = this.#open(token);
    if (untilMs < this.#clock.now().getTime()) throw refused();
    return ticket;
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
  return new AppError("unauthorized", "The upload token is missing, wrong or too old.", {
    hint: `Ask for a new one and send it as ${UPLOAD_HEADER}.`,
    cause,
  });
}
