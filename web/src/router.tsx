import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queries, sessionQuery } from "./api/hooks.ts";
import { ErrorNote, Waiting } from "./components/states.tsx";
import { Frame } from "./frame/frame.tsx";
import { t } from "./words/words.ts";

/** What stands behind the question mark is text, so that addresses can be written by hand. */
export type Search = Record<string, string | undefined>;

const root = createRootRoute({
  component: Outlet,
  errorComponent: ({ error }) => (
    <div className="mx-auto max-w-[640px] px-4 py-16">
      <ErrorNote error={error} retry={() => location.reload()} />
    </div>
  ),
  notFoundComponent: () => <NotFound />,
});

const workspace = createRoute({
  getParentRoute: () => root,
  path: "/w/$slug",
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(
      Object.entries(search).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
    ),
  beforeLoad: async ({ params: { slug } }) => {
    const { workspaces } = await queries.ensureQueryData(sessionQuery);
    const [first] = workspaces;
    if (workspaces.some((each) => each.slug === slug)) return;
    if (first === undefined) throw notFound();
    throw redirect({ to: "/w/$slug/$page", params: { slug: first.slug, page: "home" } });
  },
  component: Frame,
  errorComponent: ({ error }) => (
    <div className="mx-auto max-w-[640px] px-4 py-16">
      <ErrorNote error={error} retry={() => location.reload()} />
    </div>
  ),
});

const index = createRoute({
  getParentRoute: () => workspace,
  path: "/",
  beforeLoad: ({ params: { slug } }) => {
    throw redirect({ to: "/w/$slug/$page", params: { slug, page: "home" } });
  },
});

type PageModule = () => Promise<{ Page: () => ReactNode }>;

const PAGES: Record<string, PageModule> = {
  home: () => import("./pages/home/home.page.tsx"),
  ask: () => import("./pages/ask/ask.page.tsx"),
  dashboards: () => import("./pages/dashboards/dashboards.page.tsx"),
  data: () => import("./pages/data/data.page.tsx"),
  models: () => import("./pages/models/models.page.tsx"),
  library: () => import("./pages/library/library.page.tsx"),
  memory: () => import("./pages/memory/memory.page.tsx"),
  automation: () => import("./pages/automation/automation.page.tsx"),
  activity: () => import("./pages/activity/activity.page.tsx"),
  settings: () => import("./pages/settings/settings.page.tsx"),
};

/** A page of its own script each; what stands behind the name of a page is its own to read. */
const pageRoutes = Object.entries(PAGES).flatMap(([name, page]) =>
  ["", "/$id", "/$id/$part"].map((rest) =>
    createRoute({
      getParentRoute: () => workspace,
      path: `/${name}${rest}`,
      component: lazyRouteComponent(page, "Page"),
      pendingComponent: () => <Waiting className="mx-auto max-w-[1200px] px-8 py-10" />,
    }),
  ),
);

/** For links only: a page by its name. It is never shown, as the pages stand before it. */
const anyPage = createRoute({ getParentRoute: () => workspace, path: "/$page", component: NotFound });
const anyPart = createRoute({ getParentRoute: () => workspace, path: "/$page/$id", component: NotFound });
const anyDeepPart = createRoute({
  getParentRoute: () => workspace,
  path: "/$page/$id/$part",
  component: NotFound,
});

const routeTree = root.addChildren([
  workspace.addChildren([index, anyPage, anyPart, anyDeepPart, ...(pageRoutes as never[])]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  defaultPendingMs: 300,
  // Texts as they are: nobody wants quotation marks in an address.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, String(value)]],
    );
    return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return (
    <div className="grid place-items-center gap-2 px-4 py-24 text-center">
      <h1 className="font-semibold text-title">{t`There is no such page`}</h1>
      <p className="text-soft">{t`The address may be old, or of a workspace that is not yours.`}</p>
      <a className="font-medium text-accent" href="/w/">
        {t`Go to the start`}
      </a>
    </div>
  );
}
