import { defineResource } from "../define.ts";
import { PREFERENCES } from "./preferences.ts";

/** Everything that the caller can choose, with null for what they have not. */
export const preferencesResource = defineResource({
  uri: { all: "kenning://preferences" },
  name: "preferences",
  title: "Preferences",
  description: "What you have chosen for your questions: time period, threshold, fiscal year, time zone …",
  mimeType: "application/json",
  permission: "data_agent:read",
  toolset: "models",

  async read(_, { preferences, caller }) {
    const chosen = await preferences.get(caller);
    const all = Object.keys(PREFERENCES).map((name) => [name, chosen[name as keyof typeof chosen] ?? null]);
    return { mimeType: "application/json", text: JSON.stringify(Object.fromEntries(all)) };
  },
});
