import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "hono";
import { html } from "hono/html";
import {
  type BiServices,
  type Chosen,
  type Dashboard,
  EXPORT_FORMATS,
  type ExportFormat,
  roomFor,
  type ShownWidget,
  type ToDraw,
  ticketWish,
  untitled,
  type Widget,
} from "../../domains/bi/index.ts";
import { LIMITS } from "../../domains/bi/limits.ts";
import { audited, type Identity, type SignedIn } from "../../domains/identity/index.ts";
import { AppError, isNotFound } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import {
  FONT_PATHS,
  knownLocale,
  measure,
  type Picture,
  type Subject,
} from "../../platform/drawing/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";
import { type FormGuard, smallBody } from "../oauth/form-guard.ts";
import { errorsAsPages } from "../oauth/pages/error.page.ts";
import { signedInNav, topBar } from "../oauth/pages/page.ts";
import { languageOf, wordsIn, wordsOf } from "../oauth/pages/words.ts";
import {
  DASHBOARD_SCRIPT,
  DASHBOARD_STYLES,
  dashboardPage,
  dashboardView,
  gridMarkup,
  type Markup,
  type PageWidget,
  ROWS_FOR_TWO_LINES,
  widgetBody,
} from "./dashboard.page.ts";

interface DashboardPagesParts extends Pick<BiServices, "boards" | "views" | "exports" | "embeds"> {
  identity: Identity;
  browser: BrowserSession;
  forms: FormGuard;
  clock: Clock;
}

/** What is shown, to whom, and in which size. */
interface Showing {
  caller: Caller;
  dashboard: Dashboard | null;
  widgets: readonly Widget[];
  title: string;
  chosen: Chosen;
  /** From which column on tables are shown, by the id of their widget. */
  firstColumns: ReadonlyMap<number, number>;
  locale: string;
  width: number;
  path: string;
  exportPath: string | null;
}

const WIDE = 1_200;
const NARROW_BELOW = 720;
const WIDTH_STEP = 40;
const GAP = 12;
const ROW = 40;
const HEADING = 26;
const NOTES = 26;
const TITLE_PX = 15.2;
const TITLE_LINE = 20;
/** What the edges and the way to the data take of a title's line. */
const BESIDE_TITLE = 74;
const LEAST_HEIGHT = 80;

/** Dashboards for people who are signed in, and embeds for whoever has their link. */
export function mountDashboards(app: HttpApp, parts: DashboardPagesParts): void {
  mountAssets(app);
  app.get("/d/:id", errorsAsPages, async (c) => {
    const person = await parts.browser.of(c);
    if (person === null) return c.redirect(`/sign-in?return_to=${encodeURIComponent(c.req.path)}`, 303);
    const showing = await showingOf(c, parts, person);
    const t = wordsOf(c);
    const nav = topBar(t, signedInNav(t, person.email, parts.forms.tokenFor(c))) as Markup;
    const view = await viewed(c, parts.identity, showing, () => viewOf(parts, showing));
    return send(c, dashboardPage(t, { title: showing.title, nav, view }), "'none'");
  });
  app.get("/d/:id/w/:widget", async (c) => {
    const showing = await showingOf(c, parts, await requireSignedIn(c, parts));
    return send(c, await viewed(c, parts.identity, showing, () => bodyOf(c, parts, showing)), "'none'");
  });
  app.get("/d/:id/export", errorsAsPages, async (c) => {
    const person = await requireSignedIn(c, parts);
    const { caller, dashboard, chosen, locale } = await showingOf(c, parts, person);
    const format = formatIn(c.req.query("format") ?? "pdf");
    const target = {
      type: "dashboard",
      id: dashboard?.id ?? 0,
      format,
      theme: "light",
      locale,
      chosen,
    } as const;
    return sendFile(await parts.exports.make(caller, target, c.req.raw.signal));
  });
  mountEmbeds(app, parts);
}

/** The page itself is the same for everybody; what it shows is fetched by its script, with the secret. */
function mountEmbeds(app: HttpApp, parts: DashboardPagesParts): void {
  app.get("/embed/:publicId", async (c) => {
    const origins = await parts.embeds.origins(c.req.param("publicId"));
    const ancestors = origins === undefined ? "'none'" : origins.length === 0 ? "*" : origins.join(" ");
    return send(
      c,
      dashboardPage(wordsOf(c), { title: wordsOf(c).said("Dashboard"), nav: "", view: "" }),
      ancestors,
    );
  });
  app.post("/embed/:publicId/ticket", smallBody, async (c) => {
    const publicId = await admitEmbed(c, parts);
    const wish = ticketWish.safeParse(await c.req.json().catch(() => ({})));
    if (!wish.success)
      throw new AppError("bad_request", "A ticket is asked for with {attributes: {name: text}, minutes}.", {
        hint: `minutes is at most ${LIMITS.bi.ticketMinutes}.`,
      });
    const { ticket, expiresAt } = await parts.embeds.ticket(publicId, secretOf(c), wish.data);
    c.header("cache-control", "no-store");
    return c.json({ ticket, expires_at: expiresAt.toISOString() });
  });
  app.post("/embed/:publicId/view", smallBody, async (c) => {
    const showing = await embeddedOf(c, parts);
    return send(c, await viewed(c, parts.identity, showing, () => viewOf(parts, showing)), "'none'");
  });
  app.post("/embed/:publicId/w/:widget", smallBody, async (c) => {
    const showing = await embeddedOf(c, parts);
    return send(c, await viewed(c, parts.identity, showing, () => bodyOf(c, parts, showing)), "'none'");
  });
}

async function requireSignedIn(c: Context<HttpEnv>, { browser }: DashboardPagesParts): Promise<SignedIn> {
  const person = await browser.of(c);
  if (person === null) throw new AppError("unauthorized", "Sign in first.");
  return person;
}

/** The dashboard in whichever of their workspaces it is. */
async function showingOf(
  c: Context<HttpEnv>,
  { boards, identity }: DashboardPagesParts,
  { accountId: userId }: SignedIn,
): Promise<Showing> {
  const id = idOf(c.req.param("id") ?? "");
  for (const { id: workspaceId } of await identity.users.workspacesOf(userId)) {
    const caller = await identity.callerFor({ workspaceId, userId });
    const dashboard = await boards.dashboard(caller, id).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (dashboard === undefined) continue;
    await identity.limiter.admit({
      surface: "all",
      tokenHash: `account ${userId}`,
      address: c.get("address"),
    });
    const query = new URL(c.req.url).searchParams;
    return {
      caller,
      dashboard,
      widgets: await boards.store.widgetsOf(id),
      title: dashboard.name,
      chosen: chosenIn(query),
      firstColumns: firstColumnsIn(query),
      locale: localeOf(c, dashboard),
      width: c.req.header("sec-ch-ua-mobile") === "?1" ? 360 : WIDE,
      path: `/d/${id}`,
      exportPath: `/d/${id}/export`,
    };
  }
  throw new AppError("not_found", "There is no such dashboard, or none that you may see.");
}

async function admitEmbed(c: Context<HttpEnv>, { identity }: DashboardPagesParts): Promise<string> {
  const publicId = c.req.param("publicId") ?? "";
  const address = c.get("address");
  await identity.limiter.admit({ surface: "all", tokenHash: `embed ${publicId} ${address}`, address });
  return publicId;
}

function secretOf(c: Context<HttpEnv>): string {
  return c.req.header("x-embed-secret") ?? "";
}

async function embeddedOf(c: Context<HttpEnv>, parts: DashboardPagesParts): Promise<Showing> {
  const publicId = await admitEmbed(c, parts);
  const opened = await parts.embeds.open(publicId, secretOf(c));
  const query = new URLSearchParams(await c.req.text());
  const wanted = Math.min(2_000, Math.max(200, Number(query.get("width")) || WIDE));
  // Browsers stretch pictures by so little that nobody sees it, and windows of many widths share them.
  const width = Math.round(wanted / WIDTH_STEP) * WIDTH_STEP;
  return {
    ...opened,
    chosen: chosenIn(query),
    firstColumns: firstColumnsIn(query),
    locale: localeOf(c, opened.dashboard),
    width,
    path: `/embed/${publicId}`,
    exportPath: null,
  };
}

async function viewOf(parts: DashboardPagesParts, showing: Showing): Promise<Markup> {
  const { caller, dashboard, widgets, chosen, firstColumns, locale, width, path, title, exportPath } =
    showing;
  const { views, clock } = parts;
  const how = [chosen, [...firstColumns], locale, width, path];
  const { grid, filters, asOf } = await views.once(caller, dashboard, widgets, how, () =>
    gridOf(parts, showing),
  );
  // Pages that were asked for together are ready together, and each is megabytes to write.
  await views.turn(caller);
  const zone = dashboard?.settings.time_zone ?? "UTC";
  const when = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: zone });
  const t = wordsIn(languageOf(locale));
  const data = asOf === undefined ? "" : html`${t`Data as of ${when.format(asOf)}.`} `;
  const printed = html`${data}${t`Shown ${when.format(clock.now())} ${zone}.`}`;
  return dashboardView(t, { title, dashboard, grid, filters, printed, exportPath });
}

/** All widgets of a dashboard, and the filters that hold for them. */
async function gridOf(parts: DashboardPagesParts, showing: Showing) {
  const { caller, dashboard, widgets, chosen, firstColumns, locale, width, path } = showing;
  const { views } = parts;
  const options = { chosen, firstColumns, locale, ...roomFor("page", widgets) };
  const draw = async (shown: readonly ShownWidget[]): Promise<PageWidget[]> => {
    const pictures = await picturesOf(
      views,
      caller,
      shown.map(({ subject, widget, notes }) => ({
        subject,
        look: { ...sizeOf(widget, subject, width, notes.length > 0), locale },
      })),
    );
    const tables = await views.htmlTables(caller.workspace.id, shown, locale);
    return shown.map((each, i) => ({
      ...each,
      picture: pictures[i] ?? null,
      table: tables[i] ?? null,
      src: `${path}/w/${each.widget.id}`,
    }));
  };
  const [drawn, filters] = await Promise.all([
    views.widgets(caller, dashboard, widgets, options, draw),
    dashboard === null || widgets.length === 0 ? [] : views.filters(caller, dashboard, widgets, chosen),
  ]);
  await views.turn(caller);
  const isFaulty = ({ subject, picture, table }: PageWidget) =>
    subject.kind === "error" ||
    (isDrawn(subject) && picture === null) ||
    (subject.kind === "table" && table === null);
  return {
    grid: await gridMarkup(drawn, locale),
    filters,
    asOf: drawn.flatMap(({ asOf }) => asOf?.getTime() ?? []).toSorted((a, b) => a - b)[0],
    hasFaults: drawn.some(isFaulty),
  };
}

function isDrawn({ kind }: PageWidget["subject"]): boolean {
  return kind === "spec" || kind === "number";
}

/** Charts and numbers are drawn; what cannot be drawn is told in its place, and the rest of the page is there. */
async function picturesOf(
  views: BiServices["views"],
  caller: Caller,
  all: readonly ToDraw[],
): Promise<(Picture | null)[]> {
  const drawn = all.filter(({ subject }) => isDrawn(subject));
  const pictures = await views
    .pictures(
      caller.workspace.id,
      drawn.map(({ subject, look }) => ({ subject: untitled(subject), look })),
    )
    .catch(() => []);
  return all.map((one) => pictures[drawn.indexOf(one)] ?? null);
}

async function bodyOf(
  c: Context<HttpEnv>,
  { views }: DashboardPagesParts,
  showing: Showing,
): Promise<Markup> {
  const { caller, dashboard, widgets, chosen, firstColumns, locale, path } = showing;
  const id = idOf(c.req.param("widget") ?? "");
  const widget = widgets.find((each) => each.id === id);
  if (widget === undefined) throw new AppError("not_found", "There is no such widget here.");
  const query =
    c.req.method === "POST" ? new URLSearchParams(await c.req.text()) : new URL(c.req.url).searchParams;
  const pixels = (name: string, least: number, otherwise: number) =>
    Math.round(Math.min(2_000, Math.max(least, Number(query.get(name)) || otherwise)));
  const options = { chosen, firstColumns, locale, ...roomFor("page", [widget]) };
  const shown = await views.widget(caller, dashboard, widget, options);
  const look = { width: pixels("width", 160, 600), height: pixels("height", LEAST_HEIGHT, 300), locale };
  const [picture = null] = await picturesOf(views, caller, [{ subject: shown.subject, look }]);
  const [table = null] = await views.htmlTables(caller.workspace.id, [shown], locale);
  return widgetBody({ ...shown, picture, table, src: `${path}/w/${id}` }, locale);
}

/** About as large as its place on the page; the script has it drawn again if it is much different. */
function sizeOf(
  { place, name }: Widget,
  subject: Subject,
  width: number,
  hasNotes: boolean,
): { width: number; height: number } {
  const { sizeX, sizeY } = place ?? { sizeX: 24, sizeY: 8 };
  const isNarrow = width < NARROW_BELOW;
  const own = isNarrow ? width - 2 : ((width + GAP) / 24) * sizeX - GAP - 2;
  const isLong = sizeY >= ROWS_FOR_TWO_LINES && measure(name, TITLE_PX, 600) > own - BESIDE_TITLE;
  const height = isNarrow
    ? narrowHeight(subject)
    : sizeY * ROW - GAP - HEADING - (isLong ? TITLE_LINE : 0) - (hasNotes ? NOTES : 0);
  return { width: Math.round(Math.max(160, own)), height: Math.round(Math.max(LEAST_HEIGHT, height)) };
}

/** Below each other everything has the height that suits it. */
function narrowHeight(subject: Subject): number {
  if (subject.kind === "number") return subject.spark === undefined ? 96 : 160;
  return subject.kind === "spec" && subject.chart.type === "gauge" ? 200 : 270;
}

function chosenIn(query: URLSearchParams): Chosen {
  const named = [...query].filter(([name]) => name.startsWith("f.") && name.length <= 250);
  const chosen = Map.groupBy(named, ([name]) => name.slice(2));
  return Object.fromEntries(
    [...chosen].map(([name, values]) => [name, values.map(([, value]) => value.slice(0, 500))]),
  );
}

/** `c.12=50`: the table of widget 12 is shown from its 51st column on. */
function firstColumnsIn(query: URLSearchParams): Map<number, number> {
  const named = [...query].filter(([name, value]) => /^c\.\d{1,15}$/.test(name) && /^\d{1,6}$/.test(value));
  return new Map(named.map(([name, value]) => [Number(name.slice(2)), Number(value)]));
}

function formatIn(word: string): ExportFormat {
  const format = EXPORT_FORMATS.find((each) => each === word.toLowerCase());
  if (format !== undefined) return format;
  throw new AppError(
    "bad_request",
    `A dashboard cannot be exported as ${JSON.stringify(word.slice(0, 20))}.`,
    {
      hint: `The formats are ${EXPORT_FORMATS.join(", ")}.`,
    },
  );
}

function localeOf(c: Context<HttpEnv>, dashboard: Dashboard | null): string {
  const wanted = c.req.header("accept-language")?.split(",")[0]?.split(";")[0]?.trim();
  return knownLocale(
    dashboard?.settings.locale ?? (wanted === "" || wanted === "*" ? undefined : wanted) ?? "en-US",
  );
}

function idOf(word: string): number {
  if (!/^[1-9]\d{0,14}$/.test(word)) throw new AppError("not_found", "There is no such dashboard.");
  return Number(word);
}

/** Loads nothing from elsewhere. Drawings have styles of their own in their elements. */
async function send(c: Context<HttpEnv>, page: Markup, ancestors: string): Promise<Response> {
  const own =
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self'; font-src 'self'; connect-src 'self'";
  c.header(
    "content-security-policy",
    `${own}; form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors}`,
  );
  // Without it browsers send `Origin: null` with our own forms.
  c.header("referrer-policy", "same-origin");
  c.header("cache-control", "no-store");
  if (ancestors !== "'none'") c.set("isFramed", true);
  return c.html(await page);
}

export function sendFile({
  name,
  mimeType,
  content,
}: {
  name: string;
  mimeType: string;
  content: Buffer;
}): Response {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  return new Response(new Uint8Array(content), {
    headers: {
      "content-type": mimeType,
      "content-disposition": `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, "_")}`,
      "cache-control": "private, no-store",
    },
  });
}

/** Texts in drawings are measured in this font, so it comes with the page. */
function mountAssets(app: HttpApp): void {
  const own = (name: string) => join(import.meta.dirname, name);
  const [regular = "", semibold = ""] = FONT_PATHS;
  const files = [
    [DASHBOARD_STYLES, own("dashboard.css"), "text/css; charset=utf-8", 300],
    [DASHBOARD_SCRIPT, own("dashboard.js"), "text/javascript; charset=utf-8", 300],
    ["/assets/inter-400.ttf", regular, "font/ttf", 2_592_000],
    ["/assets/inter-600.ttf", semibold, "font/ttf", 2_592_000],
  ] as const;
  for (const [path, file, type, seconds] of files) {
    const content = new Uint8Array(readFileSync(file));
    const headers = { "content-type": type, "cache-control": `public, max-age=${seconds}` };
    app.get(path, (c) => c.body(content, 200, headers));
  }
}

/** Shows a dashboard, or one widget of it, and writes down who looked at it; of an embed nobody knows who. */
function viewed<T>(
  c: Context<HttpEnv>,
  { audit }: Pick<Identity, "audit">,
  { caller, dashboard }: { caller: Caller; dashboard: { id: number } | null },
  show: () => Promise<T>,
): Promise<T> {
  const { publicId, widget } = c.req.param() as { publicId?: string; widget?: string };
  const resourceType = publicId === undefined ? "dashboard" : "embed";
  const access = {
    caller,
    action: `${resourceType}.view`,
    resourceType,
    resourceId: publicId ?? String(dashboard?.id),
    address: c.get("address"),
    isAnonymous: publicId !== undefined,
    metadata: { dashboard: dashboard?.id, widget },
  };
  return audited(audit, access, show);
}
