import { MS } from "../../kernel/time.ts";
import type { ValuesOf } from "../../platform/settings/index.ts";
import {
  createRateLimits,
  type RateLimit,
  type RateSubject,
  type SharedState,
} from "../../platform/state/index.ts";
import { LIMITS as IDENTITY } from "../identity/limits.ts";
import type { KNOWLEDGE_SETTINGS } from "./settings.ts";

type Settings = ValuesOf<typeof KNOWLEDGE_SETTINGS>["knowledge"];

/** The endpoint's own limits: they do not follow the switch of the others, and each has one of its own. */
export interface KnowledgeLimits {
  /** A request to the transport, by address, by token and by whose it is. */
  admit(
    request: Required<Pick<RateSubject, "address" | "tokenHash">> & { userId?: number; cost?: number },
  ): Promise<void>;
  /** A search by this user. */
  search(userId: number): Promise<void>;
  /** A download before anybody knows whose it is. */
  downloadAttempt(address: string, documentId: number): Promise<void>;
  download(userId: number, documentId: number): Promise<void>;
}

export function createKnowledgeLimits(state: SharedState, settings: Settings): KnowledgeLimits {
  const rule = ({ requests, windowSeconds }: { requests: number; windowSeconds: number }) => ({
    points: requests,
    windowMs: windowSeconds * MS.second,
  });
  // A person may have many tokens, and must not be allowed as many times more by that.
  const ofMember = ({ requests, ...window }: Settings["requests"]) =>
    rule({ ...window, requests: requests * IDENTITY.identity.tokensWorthPerMember });
  const limits = createRateLimits(state, {
    knowledge_address: { per: ["address"], ...rule(settings.requests) },
    knowledge_token: { per: ["tokenHash"], ...rule(settings.requests) },
    knowledge_member: { per: ["user"], ...ofMember(settings.requests) },
    knowledge_searches: { per: ["user"], ...rule(settings.searches) },
    knowledge_download_address: { per: ["address"], ...rule(settings.downloadsByAddress) },
    knowledge_download_document: {
      per: ["address", "resource"],
      ...rule(settings.downloadsByAddressAndDocument),
    },
    knowledge_downloads: { per: ["user", "resource"], ...rule(settings.downloads) },
  } satisfies Record<string, RateLimit>);
  return {
    async admit({ address, tokenHash, userId, cost }) {
      if (!settings.requests.enabled) return;
      await limits.take(["knowledge_address", "knowledge_token"], { address, tokenHash }, cost);
      if (userId !== undefined) await limits.take(["knowledge_member"], { user: String(userId) }, cost);
    },
    async search(userId) {
      if (settings.searches.enabled) await limits.take(["knowledge_searches"], { user: String(userId) });
    },
    async downloadAttempt(address, documentId) {
      if (!settings.downloads.enabled) return;
      const names = ["knowledge_download_address", "knowledge_download_document"] as const;
      await limits.take(names, { address, resource: String(documentId) });
    },
    async download(userId, documentId) {
      if (!settings.downloads.enabled) return;
      await limits.take(["knowledge_downloads"], { user: String(userId), resource: String(documentId) });
    },
  };
}
