import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { JobOwner } from "../identity/index.ts";
import { LIMITS } from "./limits.ts";

export const DISPOSITIONS = ["inline", "attachment"] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

export const DOWNLOAD_HEADER = "X-Wegent-Download-Token";

const claims = z.object({
  disposition: z.enum(DISPOSITIONS),
  untilMs: z.number(),
  owner: z.custom<JobOwner>((value) => typeof value === "object" && value !== null && "userId" in value),
});

/** Claims of a download token: who may fetch which file, and how. */
export interface Download {
  document: number;
  disposition: Disposition;
  /** The power with which it was asked for; what is left of it is looked up again when it is used. */
  owner: JobOwner;
}

/** Short-lived tokens for single files, sealed by the vault: nothing of them is kept, and none opens for another document. */
export class Downloads {
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor(vault: Vault, clock: Clock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  issue({ document, disposition, owner }: Download): string {
    const untilMs = this.#clock.now().getTime() + LIMITS.knowledge.downloadSeconds * 1_000;
    return this.#vault.seal(JSON.stringify({ owner, disposition, untilMs }), contextOf(document));
  }

  /** Throws `unauthorized` for what is missing, forged, too old or for another document. */
  verify(token: string | undefined, document: number): Download {
    const { owner, disposition, untilMs } = this.#open(token, document);
    if (untilMs < this.#clock.now().getTime()) throw refused();
    return { document, disposition, owner };
  }

  #open(token: string | undefined, document: number): z.output<typeof claims> {
    try {
      return claims.parse(JSON.parse(this.#vault.open(token ?? "", contextOf(document)).reveal()));
    } catch (cause) {
      throw refused(cause);
    }
  }
}

function contextOf(document: number): string {
  return `document download:${document}`;
}

function refused(cause?: unknown): AppError {
  return new AppError("unauthorized", "The download token is missing, wrong or too old.", {
    hint: `Ask for a new one and send it as ${DOWNLOAD_HEADER}.`,
    cause,
  });
}
