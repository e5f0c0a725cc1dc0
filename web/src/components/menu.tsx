import { cloneElement, type ReactElement, type ReactNode, useState, useSyncExternalStore } from "react";

export interface MenuEntry {
  label: ReactNode;
  icon?: ReactNode;
  onSelect: () => void;
  danger?: boolean;
  /** A line is drawn above it. */
  apart?: boolean;
  checked?: boolean;
}

export interface MenuProps {
  trigger: ReactElement<{ onClick?: () => void }>;
  entries: MenuEntry[];
  side?: "bottom" | "right" | "top";
}

/** What opens is loaded when the page stands, or at once for whoever is faster than that. */
export function Menu(props: MenuProps) {
  const Popup = useSyncExternalStore(subscribe, () => popup);
  const [isWanted, want] = useState(false);
  if (Popup !== undefined) return <Popup {...props} isWanted={isWanted} />;
  const onClick = () => {
    want(true);
    void load();
  };
  return cloneElement(props.trigger, { onClick });
}

type Popup = typeof import("./menu-popup.tsx").MenuPopup;

const listeners = new Set<() => void>();
let popup: Popup | undefined;

async function load(): Promise<void> {
  popup ??= (await import("./menu-popup.tsx")).MenuPopup;
  for (const listener of listeners) listener();
}

const SOON_MS = 400;

function subscribe(listener: () => void): () => void {
  if (popup === undefined && listeners.size === 0) setTimeout(() => void load(), SOON_MS);
  listeners.add(listener);
  return () => listeners.delete(listener);
}
