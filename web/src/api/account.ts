import { send } from "./client.ts";

/** What people look after themselves: tokens, apps and the password. It is theirs alone, in whichever workspace. */

export interface Token {
  id: number;
  kind: string;
  name: string;
  hint: string;
  workspace: string;
  limits: { read_only: boolean };
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  last_used_client: string | null;
}

export interface ConnectedApp {
  id: string;
  name: string;
  workspace: string;
  scopes: string[];
  connected_at: string;
  last_used_at: string | null;
}

export interface ClientGuide {
  id: string;
  client: string;
  steps: string;
  snippet: string;
  after?: string;
  install?: { label: string; href: string };
  warning?: string;
}

async function read<T>(path: string): Promise<T> {
  return (await (await send(`/api/console${path}`)).json()) as T;
}

async function change(method: string, path: string, body?: object): Promise<Response> {
  return send(`/api/console${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export const readTokens = () => read<{ tokens: Token[] }>("/tokens");
export const readApps = () => read<{ apps: ConnectedApp[] }>("/apps");
export const readGuides = (language: string) =>
  read<{ address: string; clients: ClientGuide[] }>(`/connect?language=${language}`);

export async function makeToken(wish: object): Promise<{ token: string }> {
  return (await (await change("POST", "/tokens", wish)).json()) as { token: string };
}

export const endToken = (id: number) => change("DELETE", `/tokens/${id}`);
export const endApp = (id: string) => change("DELETE", `/apps/${encodeURIComponent(id)}`);
export const signOut = () => change("DELETE", "/session");
export const changePassword = (current: string, password: string) =>
  change("POST", "/password", { current, password });
