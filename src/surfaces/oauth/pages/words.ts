import type { Context } from "hono";
import { html } from "hono/html";
import type { Permission } from "../../../kernel/permissions.ts";
import { keyOf, rearranged } from "../../../kernel/translation.ts";
import type { HttpEnv } from "../../http/app.ts";
import { GERMAN } from "./german.ts";
import type { Html } from "./page.ts";

/**
 * The words of a page in the language of whoever looks at it. The key is the English text with {0}, {1} … in place of
 * values, so that a page can be read in its source, and what is not translated is shown in English.
 */
export interface Words {
  (strings: TemplateStringsArray, ...values: unknown[]): Html;
  language: "en" | "de";
  /** A whole sentence that comes from elsewhere, such as an error. */
  said(sentence: string): string;
}

export function wordsOf(c: Context<HttpEnv>): Words {
  return wordsIn(languageOf(c.req.header("accept-language")));
}

export function wordsIn(language: Words["language"]): Words {
  const german = language === "de" ? GERMAN : {};
  const words = (strings: TemplateStringsArray, ...values: unknown[]): Html => {
    const translation = german[keyOf(strings)];
    if (translation === undefined) return html(strings, ...values);
    const [texts, ordered] = rearranged(translation, values);
    return html(texts as unknown as TemplateStringsArray, ...ordered);
  };
  return Object.assign(words, { language, said: (sentence: string) => german[sentence] ?? sentence });
}

/** The first language of the browser's list that we speak; English otherwise. */
export function languageOf(accepted = ""): Words["language"] {
  const languages = accepted.split(",").map((each) => each.trim().slice(0, 2).toLowerCase());
  return languages.find((each) => each === "de" || each === "en") === "de" ? "de" : "en";
}

/** What a permission means, for the person who gives it. */
export const PERMISSION_WORDS: Record<Permission, string> = {
  "data_agent:read": "Connect to the data agent",
  "data_agent:write": "Ask questions about your data",
  "ontologies:read": "See semantic models and their datasets",
  "ontologies:write": "Change semantic models",
  "bi:read": "See dashboards, datasets, queries and reports",
  "bi:write": "Create and change dashboards, datasets, queries and reports",
  "memory:read": "Recall what the workspace remembers",
  "memory:write": "Store and change memories",
  "knowledge:read": "Read and search knowledge bases",
  "knowledge:write": "Add and change documents",
  admin: "Administer the workspace, with its audit log",
};
