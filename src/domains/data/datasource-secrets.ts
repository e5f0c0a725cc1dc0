import { AppError } from "../../kernel/errors.ts";
import type { Secrets } from "./connectors/index.ts";

/** All that is sealed. Any header and any parameter of a URL may say who asks, so nobody guesses which do. */
export interface SealedSecrets extends Secrets {
  headers?: Record<string, string>;
  /** The query of the URL, with its question mark. */
  search?: string;
}

export interface Access {
  settings: Record<string, unknown>;
  secrets: SealedSecrets;
}

/** What may be stored as it is and what has to be sealed; of headers and parameters of a URL only names stay. */
export function sealable({ settings, secrets }: Access): Access {
  if (typeof settings.url !== "string") return { settings, secrets };
  const url = webAddress(settings.url);
  const headers = (settings.headers ?? {}) as Record<string, string>;
  return {
    settings: shownSettings(settings),
    secrets: {
      ...secrets,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(url.search !== "" && { search: url.search }),
    },
  };
}

/** The settings and secrets that a connector takes. */
export function unsealed({ settings, secrets }: Access): { settings: Access["settings"]; secrets: Secrets } {
  const { headers, search = "", ...rest } = secrets;
  if (typeof settings.url !== "string") return { settings, secrets: rest };
  const { parameters: _parameters, headers: _names, ...plain } = settings;
  return { settings: { ...plain, url: settings.url + search, headers: headers ?? {} }, secrets: rest };
}

/** An allow-list: an address without its query, and names. */
export function shownSettings(settings: Record<string, unknown>): Record<string, unknown> {
  if (typeof settings.url !== "string") return settings;
  const url = URL.parse(settings.url);
  const headers = settings.headers ?? {};
  return {
    ...settings,
    url: url === null ? "" : url.origin + url.pathname,
    parameters: settings.parameters ?? [...new Set(url?.searchParams.keys())],
    headers: Array.isArray(headers) ? headers : Object.keys(headers),
  };
}

export function webAddress(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new AppError("bad_request", "This is not the URL of a web service.", {
    hint: "Write it in full, such as https://example.com/orders.",
  });
}
