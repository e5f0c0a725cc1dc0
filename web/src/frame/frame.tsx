import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useWorkspace } from "../api/hooks.ts";
import { Toasts } from "../components/toasts.tsx";
import { t } from "../words/words.ts";
import { DropAnywhere } from "./drop-anywhere.tsx";
import { useKeys } from "./keys.ts";
import { pages } from "./pages.tsx";
import { PhoneTabs, Sidebar } from "./sidebar.tsx";
import { TopBar } from "./top-bar.tsx";

const Palette = lazy(() => import("./palette.tsx").then(({ Palette }) => ({ default: Palette })));
const PhoneMenu = lazy(() => import("./phone-menu.tsx").then((loaded) => ({ default: loaded.PhoneMenu })));
const KeysHelp = lazy(() => import("./keys-help.tsx").then(({ KeysHelp }) => ({ default: KeysHelp })));

/** What stands around every page: the sidebar, the bar above, the palette and the keys. */
export function Frame() {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const [overlay, setOverlay] = useState<"palette" | "keys" | "pages" | null>(null);
  const handle = useCallback(
    (keys: string) => {
      if (keys === "mod+k") {
        setOverlay((now) => (now === "palette" ? null : "palette"));
        return true;
      }
      if (keys === "?") {
        setOverlay("keys");
        return true;
      }
      if (keys === "/") {
        focusAskBox(() => void navigate({ to: "/w/$slug/$page", params: { slug, page: "ask" } }));
        return true;
      }
      if (keys === "f") {
        const field = document.querySelector<HTMLInputElement>("main [data-search]");
        field?.focus();
        return field !== null;
      }
      const page = pages().find(({ key }) => keys === `g ${key}`);
      if (page !== undefined) void navigate({ to: "/w/$slug/$page", params: { slug, page: page.id } });
      return page !== undefined;
    },
    [navigate, slug],
  );
  useKeys(handle);
  const main = useMainFocus();
  return (
    <div className="flex h-full">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-field bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
      >
        {t`To the content`}
      </a>
      <Sidebar />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar
          onSearch={() => setOverlay("palette")}
          onHelp={() => setOverlay("keys")}
          onPages={() => setOverlay("pages")}
        />
        <main id="main" ref={main} tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          <Outlet />
        </main>
        <PhoneTabs />
      </div>
      <DropAnywhere />
      <Toasts />
      <Suspense>
        {overlay === "palette" && <Palette onClose={() => setOverlay(null)} />}
        {overlay === "pages" && <PhoneMenu onClose={() => setOverlay(null)} />}
        {overlay === "keys" && <KeysHelp onClose={() => setOverlay(null)} />}
      </Suspense>
    </div>
  );
}

/** Whoever hears the page is told of the next one from its start. */
function useMainFocus() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    main.current?.scrollTo(0, 0);
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}

function focusAskBox(otherwise: () => void): void {
  const box = document.querySelector<HTMLTextAreaElement>("[data-ask-box]");
  if (box === null) otherwise();
  else box.focus();
}
