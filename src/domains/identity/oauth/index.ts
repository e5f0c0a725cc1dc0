import type { Clock } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import type { Vault } from "../../../platform/vault/index.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import { ConnectedApps } from "./connected-apps.store.ts";
import { OAuthRecords } from "./oauth-records.store.ts";
import { SigningKeys } from "./signing-keys.store.ts";
import { WebSessions } from "./web-sessions.store.ts";

/** What the authorization server and the sign-in pages keep in the catalog. */
export interface OAuthStores {
  records: OAuthRecords;
  apps: ConnectedApps;
  signingKeys: SigningKeys;
  webSessions: WebSessions;
}

export function openOAuthStores(catalog: Catalog, vault: Vault, clock: Clock, audit: AuditSink): OAuthStores {
  return {
    records: new OAuthRecords(catalog, clock),
    apps: new ConnectedApps(catalog, clock, audit),
    signingKeys: new SigningKeys(catalog, vault, clock),
    webSessions: new WebSessions(catalog, clock),
  };
}
