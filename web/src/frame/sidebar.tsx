import { Link } from "@tanstack/react-router";
import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useWorkspace } from "../api/hooks.ts";
import { IconButton } from "../components/button.tsx";
import { cx } from "../components/classes.ts";
import { t } from "../words/words.ts";
import { fold, useIsFolded } from "./appearance.ts";
import { type PageEntry, pages } from "./pages.tsx";

export function Mark() {
  return <span aria-hidden="true" className="size-4 shrink-0 rounded-[50%_50%_50%_4px] bg-accent" />;
}

function Entry({
  page,
  isFolded,
  onGo,
}: {
  page: PageEntry;
  isFolded: boolean;
  onGo?: (() => void) | undefined;
}) {
  const { slug } = useWorkspace();
  const Icon = page.icon;
  return (
    <Link
      to="/w/$slug/$page"
      params={{ slug, page: page.id }}
      title={isFolded ? page.name : undefined}
      aria-label={page.name}
      onClick={onGo}
      activeProps={{ className: "bg-hover text-ink font-medium [&_svg]:text-accent", "aria-current": "page" }}
      className={cx(
        "flex h-8 items-center gap-2.5 rounded-field text-soft text-table transition-colors duration-120 hover:bg-hover hover:text-ink pointer-coarse:h-10",
        isFolded ? "justify-center" : "px-2.5",
      )}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.75} />
      {!isFolded && <span className="truncate">{page.name}</span>}
    </Link>
  );
}

export function Entries({ isFolded = false, onGo }: { isFolded?: boolean; onGo?: () => void }) {
  const all = pages();
  return (
    <>
      {all.slice(0, -1).map((page) => (
        <Entry key={page.id} page={page} isFolded={isFolded} onGo={onGo} />
      ))}
      <div aria-hidden="true" className="my-2 h-px bg-line" />
      {all.slice(-1).map((page) => (
        <Entry key={page.id} page={page} isFolded={isFolded} onGo={onGo} />
      ))}
    </>
  );
}

export function Sidebar() {
  const isFolded = useIsFolded();
  const { slug } = useWorkspace();
  return (
    <aside
      className={cx(
        "hidden h-full shrink-0 flex-col border-line border-r bg-sunken px-2 pt-2 pb-3 transition-[width] duration-160 md:flex",
        isFolded ? "w-13" : "w-54",
      )}
    >
      <Link
        to="/w/$slug/$page"
        params={{ slug, page: "home" }}
        className={cx(
          "mb-3 flex h-10 items-center gap-2.5 rounded-field font-semibold",
          isFolded ? "justify-center" : "px-2.5",
        )}
      >
        <Mark />
        <span className={cx(isFolded && "sr-only")}>Kenning</span>
      </Link>
      <nav aria-label={t`Pages`} className="flex flex-1 flex-col gap-0.5 overflow-y-auto">
        <Entries isFolded={isFolded} />
      </nav>
      <IconButton
        label={isFolded ? t`Unfold the sidebar` : t`Fold the sidebar`}
        onClick={() => fold(!isFolded)}
        className={cx(isFolded && "mx-auto")}
      >
        {isFolded ? <PanelLeftOpen className="size-4" /> : <PanelLeftClose className="size-4" />}
      </IconButton>
    </aside>
  );
}

/** On a phone: the four most used pages below the thumb. */
export function PhoneTabs() {
  const { slug } = useWorkspace();
  return (
    <nav
      aria-label={t`Most used pages`}
      className="grid shrink-0 grid-cols-4 border-line border-t bg-card pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {pages()
        .slice(0, 4)
        .map(({ id, name, icon: Icon }) => (
          <Link
            key={id}
            to="/w/$slug/$page"
            params={{ slug, page: id }}
            activeProps={{ className: "text-accent", "aria-current": "page" }}
            className="flex h-14 flex-col items-center justify-center gap-0.5 text-caption text-soft"
          >
            <Icon aria-hidden="true" className="size-5" strokeWidth={1.75} />
            {name}
          </Link>
        ))}
    </nav>
  );
}
