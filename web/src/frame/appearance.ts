import { useSyncExternalStore } from "react";
import { type Language, speak } from "../words/words.ts";

/** What people choose for this browser: theme, language, and whether the sidebar is folded. */

export type Theme = "system" | "light" | "dark";

const THEME = "kenning.theme";
const FOLDED = "kenning.sidebar";

const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startTheme(): void {
  applyTheme(chosenTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
}

function chosenTheme(): Theme {
  const theme = localStorage.getItem(THEME);
  return theme === "light" || theme === "dark" ? theme : "system";
}

function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(THEME);
  else localStorage.setItem(THEME, theme);
  applyTheme(theme);
  tell();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme);
}

/** Which of both is seen, for pictures that are drawn in one. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => {
    const theme = chosenTheme();
    return theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  });
}

export function useIsFolded(): boolean {
  return useSyncExternalStore(subscribe, () => localStorage.getItem(FOLDED) === "1");
}

export function fold(isFolded: boolean): void {
  localStorage.setItem(FOLDED, isFolded ? "1" : "0");
  tell();
}

let drawIn: (language: Language) => void = () => {};

export function onLanguage(draw: (language: Language) => void): void {
  drawIn = draw;
}

export async function changeLanguage(language: Language): Promise<void> {
  await speak(language, true);
  drawIn(language);
}
