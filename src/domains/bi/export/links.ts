import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { type Clock, MS } from "../../../kernel/time.ts";
import type { Vault } from "../../../platform/vault/index.ts";
import type { JobOwner } from "../../identity/index.ts";
import { LIMITS } from "../limits.ts";

export const EXPORT_FORMATS = ["pdf", "png", "xlsx"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const target = z.object({
  type: z.enum(["dashboard", "widget"]),
  id: z.int(),
  format: z.enum(EXPORT_FORMATS),
  theme: z.enum(["light", "dark"]),
  locale: z.string().optional(),
  chosen: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
});

/** Target and format of an export. */
export type ExportTarget = z.output<typeof target>;

const claims = target.extend({
  untilMs: z.number(),
  owner: z.custom<JobOwner>((value) => typeof value === "object" && value !== null && "userId" in value),
});

const CONTEXT = "export link";

/** Addresses of files, good for a short time: the file is made when it is fetched, with the rights that its owner has then. */
export class ExportLinks {
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #appUrl: string;

  constructor(vault: Vault, clock: Clock, appUrl: string) {
    this.#vault = vault;
    this.#clock = clock;
    this.#appUrl = appUrl;
  }

  issue(owner: JobOwner, wanted: ExportTarget): { url: string; expiresAt: Date } {
    const expiresAt = new Date(this.#clock.now().getTime() + LIMITS.bi.linkMinutes * MS.minute);
    const sealed = this.#vault.seal(
      JSON.stringify({ ...wanted, owner, untilMs: expiresAt.getTime() }),
      CONTEXT,
    );
    return { url: `${this.#appUrl}/files/exports/${sealed}`, expiresAt };
  }

  verify(sealed: string): { owner: JobOwner; wanted: ExportTarget; issuedAt: Date } {
    const { owner, untilMs, ...wanted } = this.#open(sealed);
    if (untilMs < this.#clock.now().getTime()) throw refused();
    return { owner, wanted, issuedAt: new Date(untilMs - LIMITS.bi.linkMinutes * MS.minute) };
  }

  #open(sealed: string): z.output<typeof claims> {
    try {
      return claims.parse(JSON.parse(this.#vault.open(sealed, CONTEXT).reveal()));
    } catch (cause) {
      throw refused(cause);
    }
  }
}

function refused(cause?: unknown): AppError {
  return new AppError("unauthorized", "This link is wrong or too old.", {
    hint: "Export it again for a new one.",
    cause,
  });
}
