import { createHash, timingSafeEqual } from "node:crypto";
import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import { z } from "zod";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { randomText } from "../../kernel/text.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import { Store } from "../../platform/catalog/index.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Identity } from "../identity/index.ts";
import { embeds } from "./bi.tables.ts";
import type { Dashboard, Widget } from "./boards.store.ts";
import type { Boards } from "./boards.ts";
import { LIMITS } from "./limits.ts";

const { attributes: mostAttributes, ticketMinutes } = LIMITS.bi;

/** Of a viewer, for whom policies of datasets hold as well. */
export const viewerAttributes = z
  .record(z.string().max(100), z.string().max(500))
  .refine((given) => Object.keys(given).length <= mostAttributes);

/** Request of a host application for a viewer's ticket. */
export const ticketWish = z.strictObject({
  attributes: viewerAttributes.default({}),
  minutes: z.int().min(1).max(ticketMinutes).default(ticketMinutes),
});

const ticketClaims = z.object({ publicId: z.string(), attributes: viewerAttributes, untilMs: z.number() });
const TICKET = "ticket.";
const TICKET_CONTEXT = "embed ticket";

interface EmbedWish {
  dashboardId?: number | undefined;
  widgetId?: number | undefined;
  expiresInDays?: number | undefined;
  attributes?: Readonly<Record<string, string>> | undefined;
  origins?: readonly string[] | undefined;
}

/** An opened embed: its dashboard, and the caller whose rights apply. */
interface OpenEmbed {
  caller: Caller;
  dashboard: Dashboard | null;
  widgets: Widget[];
  title: string;
}

interface Parts {
  store: EmbedsStore;
  boards: Boards;
  identity: Pick<Identity, "callerFor">;
  vault: Vault;
  clock: Clock;
  appUrl: string;
}

/** Last use is written down this often. */
const USED_EVERY_MS = 5 * MS.minute;

/** Links that show a dashboard or a widget to whoever has them, with no more than its maker may see. */
export class Embeds {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get store(): EmbedsStore {
    return this.#parts.store;
  }

  /** The secret stands in the address once, and nowhere else. */
  async create(caller: Caller, wish: EmbedWish): Promise<{ embed: Embed; url: string }> {
    const { store, clock, appUrl } = this.#parts;
    const { dashboardId = null, widgetId = null, expiresInDays, attributes, origins = [] } = wish;
    const [publicId, secret] = [randomText(12), randomText(32)];
    const embed = await store.create({
      workspaceId: caller.workspace.id,
      publicId,
      secretHash: hashOf(secret),
      dashboardId,
      widgetId,
      createdBy: caller.user.id,
      attributes: attributes ?? null,
      origins: origins.map(originOf),
      expiresAt:
        expiresInDays === undefined ? null : new Date(clock.now().getTime() + expiresInDays * MS.day),
    });
    return { embed, url: `${appUrl}/embed/${publicId}#${secret}` };
  }

  /** For the page around it, which anybody may load: which pages may show it. Unknown ones may be shown nowhere. */
  async origins(publicId: string): Promise<readonly string[] | undefined> {
    const embed = await this.#parts.store.byPublicId(publicId);
    return embed !== undefined && this.#works(embed) ? embed.origins : undefined;
  }

  /** A key for some minutes, to be given to one viewer by the host application that keeps the secret. */
  async ticket(
    publicId: string,
    secret: string,
    { attributes, minutes }: z.output<typeof ticketWish>,
  ): Promise<{ ticket: string; expiresAt: Date }> {
    await this.#keyed(publicId, secret);
    const { vault, clock } = this.#parts;
    const expiresAt = new Date(clock.now().getTime() + minutes * MS.minute);
    const claims = { publicId, attributes, untilMs: expiresAt.getTime() };
    return { ticket: `${TICKET}${vault.seal(JSON.stringify(claims), TICKET_CONTEXT)}`, expiresAt };
  }

  /** The embed, if the secret is its own and it works. */
  async #keyed(publicId: string, secret: string): Promise<Embed> {
    const embed = await this.#parts.store.byPublicId(publicId);
    if (embed === undefined || !isSecret(secret, embed.secretHash) || !this.#works(embed)) throw notValid();
    return embed;
  }

  async #ticketed(publicId: string, ticket: string): Promise<Embed> {
    const { vault, clock, store } = this.#parts;
    const claims = opened(() => ticketClaims.parse(JSON.parse(vault.open(ticket, TICKET_CONTEXT).reveal())));
    const embed = await store.byPublicId(publicId);
    const isOwn = claims.publicId === publicId && claims.untilMs > clock.now().getTime();
    if (embed === undefined || !isOwn || !this.#works(embed)) throw notValid();
    // Attributes of the embed take precedence over those of the host.
    return { ...embed, attributes: { ...claims.attributes, ...embed.attributes } };
  }

  /** Link, maker, dashboard, widget: each is looked at every time, and with the rights that there are now. */
  async open(publicId: string, key: string): Promise<OpenEmbed> {
    const { store, boards, identity, clock } = this.#parts;
    const embed = key.startsWith(TICKET)
      ? await this.#ticketed(publicId, key.slice(TICKET.length))
      : await this.#keyed(publicId, key);
    const { workspaceId, createdBy: userId, attributes, dashboardId, widgetId } = embed;
    try {
      const maker = await identity.callerFor({ workspaceId, userId });
      const permissions = maker.permissions.filter((permission) => permission === "bi:read");
      const standsIn = { since: null };
      const caller = { ...maker, permissions, viewerAttributes: attributes ?? {}, standsIn };
      const opened = await openAsset(boards, caller, dashboardId, widgetId);
      const now = clock.now().getTime();
      if (embed.lastUsedAt === null || now - embed.lastUsedAt.getTime() > USED_EVERY_MS)
        await store.used(embed.id);
      return { caller, ...opened };
    } catch (error) {
      if (isAppError(error) && ["not_found", "forbidden"].includes(error.code)) throw notValid(error);
      throw error;
    }
  }

  #works({ revokedAt, expiresAt }: Embed): boolean {
    return (
      revokedAt === null && (expiresAt === null || expiresAt.getTime() > this.#parts.clock.now().getTime())
    );
  }
}

async function openAsset(
  boards: Boards,
  caller: Caller,
  dashboardId: number | null,
  widgetId: number | null,
) {
  if (dashboardId !== null) {
    const dashboard = await boards.dashboard(caller, dashboardId);
    return { dashboard, widgets: await boards.store.widgetsOf(dashboardId), title: dashboard.name };
  }
  const { widget, dashboard } = await boards.widget(caller, widgetId ?? 0);
  // Filters of its dashboard hold for it there as they begin.
  return {
    dashboard,
    widgets: [{ ...widget, place: { col: 1, row: 1, sizeX: 24, sizeY: widget.place?.sizeY ?? 8 } }],
    title: widget.name,
  };
}

function opened<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw notValid(cause);
  }
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

function isSecret(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(hash));
}

/** A wrong link, an old one and a revoked one look the same. */
function notValid(cause?: unknown): AppError {
  return new AppError("not_found", "This link does not work, or no longer.", {
    hint: "Ask whoever gave it to you for a new one.",
    cause,
  });
}

function originOf(text: string): string {
  const url = URL.parse(text);
  if (url !== null && ["http:", "https:"].includes(url.protocol)) return url.origin;
  throw new AppError("bad_request", `${text} is no origin of a web page.`, {
    hint: "Write https://example.com.",
  });
}

type Embed = typeof embeds.$inferSelect;

/** The addresses under which dashboards and widgets are shown elsewhere. */
export class EmbedsStore extends Store {
  async create(embed: Omit<typeof embeds.$inferInsert, "createdAt">): Promise<Embed> {
    return this.catalog.transaction(async (tx) => {
      const { embeds: most } = LIMITS.bi;
      if ((await tx.$count(embeds, this.#working(embed.workspaceId))) >= most)
        throw new AppError("plan_limit", `This workspace has ${most} embeds, which is as many as it can.`, {
          hint: "Revoke those that nobody needs with {tool:revoke_embed}.",
        });
      const [row] = await tx
        .insert(embeds)
        .values({ ...embed, createdAt: this.clock.now() })
        .returning();
      return row!;
    });
  }

  #working(workspaceId: number) {
    const isValid = or(isNull(embeds.expiresAt), gt(embeds.expiresAt, this.clock.now()));
    return and(eq(embeds.workspaceId, workspaceId), isNull(embeds.revokedAt), isValid);
  }

  async byPublicId(publicId: string): Promise<Embed | undefined> {
    const [row] = await this.catalog.db.select().from(embeds).where(eq(embeds.publicId, publicId));
    return row;
  }

  async find(workspaceId: number, id: number): Promise<Embed | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(embeds)
      .where(and(eq(embeds.workspaceId, workspaceId), eq(embeds.id, id)));
    return row;
  }

  /** Active embeds, of one creator or of all. */
  async list(
    workspaceId: number,
    { limit, userId }: { limit: number; userId: number | undefined },
  ): Promise<Embed[]> {
    const theirs = userId === undefined ? undefined : eq(embeds.createdBy, userId);
    return this.catalog.db
      .select()
      .from(embeds)
      .where(and(this.#working(workspaceId), theirs))
      .orderBy(desc(embeds.id))
      .limit(limit);
  }

  async revoke(id: number): Promise<void> {
    await this.catalog.db
      .update(embeds)
      .set({ revokedAt: this.clock.now() })
      .where(and(eq(embeds.id, id), isNull(embeds.revokedAt)));
  }

  async used(id: number): Promise<void> {
    await this.catalog.db.update(embeds).set({ lastUsedAt: this.clock.now() }).where(eq(embeds.id, id));
  }
}
