import { AppError, isAppError } from "../../../../kernel/errors.ts";
import type { Secrets } from "../connector-types.ts";
import type { Auth } from "../settings.ts";

/** Credentials for a request. */
export interface Credentials {
  headers: Record<string, string>;
  /** Put into the URL at the last moment, so that no message ever has it. */
  parameters: Record<string, string>;
}

export function credentialsOf(auth: Auth, { token, password }: Secrets): Credentials {
  switch (auth.kind) {
    case "none":
      return { headers: {}, parameters: {} };
    case "bearer":
      return header("authorization", `Bearer ${required(token, "token")}`);
    case "basic": {
      const pair = Buffer.from(`${auth.user}:${required(password, "password")}`, "utf8").toString("base64");
      return header("authorization", `Basic ${pair}`);
    }
    case "header":
      return header(auth.name.toLowerCase(), required(token, "token"));
    case "query":
      return { headers: {}, parameters: { [auth.name]: required(token, "token") } };
  }
}

function header(name: string, value: string): Credentials {
  if (/[\r\n\0]/.test(value))
    throw new AppError("bad_request", "The secret cannot be sent: it has more than one line.");
  return { headers: { [name]: value }, parameters: {} };
}

function required(secret: string | undefined, name: string): string {
  if (secret !== undefined && secret !== "") return secret;
  throw new AppError("bad_request", `The datasource has no ${name}, and its settings ask for one.`, {
    hint: `Add the ${name}, or set auth to none.`,
  });
}

export function parseBase(url: string): URL {
  const base = URL.parse(url);
  if (base !== null) return base;
  throw new AppError("bad_request", "The datasource has no valid URL.", {
    hint: "Write it in full, such as https://example.com/orders.",
  });
}

/** The URL with the credentials that belong into it. */
export function withParameters(url: URL, parameters: Record<string, string>): URL {
  const full = new URL(url);
  for (const [name, value] of Object.entries(parameters)) full.searchParams.set(name, value);
  return full;
}

/** Maps an HTTP status to an error of the datasource. */
export function webError(error: unknown): unknown {
  if (!isAppError(error)) return error;
  const { status } = error.data;
  if (status === 401 || status === 403) {
    return new AppError("bad_request", `${error.message} It does not accept the credentials.`, {
      hint: "Check the auth setting and the secret of the datasource.",
      data: { status },
    });
  }
  if (status === 404 || status === 410) {
    return new AppError("not_found", error.message, { hint: "Check the path.", data: { status } });
  }
  if (status === 429) {
    return new AppError("unavailable", `${error.message} It takes no more requests for now.`, {
      hint: "Try again later, or ask less often.",
      data: { status },
    });
  }
  return error;
}
