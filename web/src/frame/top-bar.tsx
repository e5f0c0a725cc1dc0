import { useNavigate, useParams } from "@tanstack/react-router";
import {
  ChevronsUpDown,
  CircleHelp,
  Languages,
  LogOut,
  Menu as MenuIcon,
  Monitor,
  Moon,
  Search,
  Sun,
  UserRound,
} from "lucide-react";
import { signOut } from "../api/account.ts";
import { useSession, useWorkspace } from "../api/hooks.ts";
import { IconButton } from "../components/button.tsx";
import { Menu, type MenuEntry } from "../components/menu.tsx";
import { toldError } from "../components/toasts.tsx";
import { currentLanguage, t } from "../words/words.ts";
import { changeLanguage, setTheme, useIsDark, useTheme } from "./appearance.ts";

interface TopBarProps {
  onSearch: () => void;
  onHelp: () => void;
  onPages: () => void;
}

export function TopBar({ onSearch, onHelp, onPages }: TopBarProps) {
  return (
    <header className="flex h-13 shrink-0 items-center gap-2 border-line border-b bg-ground px-2 md:px-4">
      <IconButton label={t`Menu`} className="md:hidden" onClick={onPages}>
        <MenuIcon className="size-5" />
      </IconButton>
      <WorkspaceSwitch />
      <button
        type="button"
        onClick={onSearch}
        className="mx-auto flex h-8 min-w-0 flex-1 items-center gap-2 rounded-field border border-line bg-card px-2.5 text-faint text-table transition-colors duration-120 hover:border-edge sm:max-w-[420px] pointer-coarse:h-10"
      >
        <Search aria-hidden="true" className="size-3.5 shrink-0" />
        <span className="min-w-0 flex-1 truncate text-left">{t`Search or run …`}</span>
        <kbd className="hidden rounded border border-line px-1 font-sans text-caption sm:inline">
          {/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K"}
        </kbd>
      </button>
      <IconButton label={t`Keys`} onClick={onHelp} className="max-sm:hidden">
        <CircleHelp className="size-4" />
      </IconButton>
      <ThemeSwitch />
      <Account />
    </header>
  );
}

function WorkspaceSwitch() {
  const { workspaces } = useSession();
  const current = useWorkspace();
  const navigate = useNavigate();
  const { page = "home" } = useParams({ strict: false }) as { page?: string };
  const entries = workspaces.map(
    ({ slug, name }): MenuEntry => ({
      label: name,
      icon: <Initial name={name} />,
      checked: slug === current.slug,
      onSelect: () => void navigate({ to: "/w/$slug/$page", params: { slug, page } }),
    }),
  );
  return (
    <Menu
      entries={entries}
      trigger={
        <button
          type="button"
          aria-label={t`Workspace: ${current.name}`}
          className="flex h-8 max-w-48 min-w-0 shrink-0 items-center gap-2 rounded-field px-2 font-medium text-table hover:bg-hover max-sm:max-w-28 pointer-coarse:h-10"
        >
          <Initial name={current.name} />
          <span className="truncate">{current.name}</span>
          <ChevronsUpDown aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
        </button>
      }
    />
  );
}

function Initial({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      data-initial={name.slice(0, 1)}
      className="grid size-5 shrink-0 place-items-center rounded bg-tint font-semibold text-[11px] text-accent uppercase before:content-[attr(data-initial)]"
    />
  );
}

function ThemeSwitch() {
  const theme = useTheme();
  const isDark = useIsDark();
  const entry = (value: typeof theme, label: string, icon: MenuEntry["icon"]): MenuEntry => ({
    label,
    icon,
    checked: theme === value,
    onSelect: () => setTheme(value),
  });
  return (
    <Menu
      entries={[
        entry("system", t`As the system`, <Monitor className="size-4" />),
        entry("light", t`Light`, <Sun className="size-4" />),
        entry("dark", t`Dark`, <Moon className="size-4" />),
      ]}
      trigger={
        <IconButton label={t`Theme`} className="max-sm:hidden">
          {isDark ? <Moon className="size-4" /> : <Sun className="size-4" />}
        </IconButton>
      }
    />
  );
}

function Account() {
  const { user } = useSession();
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const isDark = useIsDark();
  const other = currentLanguage() === "de" ? "en" : "de";
  return (
    <Menu
      entries={[
        {
          label: user.email,
          icon: <UserRound className="size-4" />,
          onSelect: () => void navigate({ to: "/w/$slug/$page", params: { slug, page: "settings" } }),
        },
        {
          label: isDark ? t`Light theme` : t`Dark theme`,
          icon: isDark ? <Sun className="size-4" /> : <Moon className="size-4" />,
          onSelect: () => setTheme(isDark ? "light" : "dark"),
          apart: true,
        },
        {
          label: other === "de" ? "Deutsch" : "English",
          icon: <Languages className="size-4" />,
          onSelect: () => void changeLanguage(other),
        },
        {
          label: t`Sign out`,
          icon: <LogOut className="size-4" />,
          onSelect: () => void signOut().then(() => location.assign("/signed-out"), toldError),
          apart: true,
        },
      ]}
      trigger={
        <button
          type="button"
          aria-label={t`Account: ${user.name}`}
          data-initials={initialsOf(user.name || user.email)}
          className="grid size-8 shrink-0 place-items-center rounded-full bg-tint font-semibold text-accent text-caption before:content-[attr(data-initials)] pointer-coarse:size-10"
        />
      }
    />
  );
}

function initialsOf(name: string): string {
  const [first = "", ...rest] = name.split(/[\s@._-]+/).filter(Boolean);
  return `${first.slice(0, 1)}${rest.at(-1)?.slice(0, 1) ?? ""}`.toUpperCase();
}
