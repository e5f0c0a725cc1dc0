import type { ServerContext } from "@modelcontextprotocol/server";
import type { BodyLease } from "../../registry/body-budget.ts";
import type { Caller, CallMeta } from "../../registry/caller.ts";
import type { ToolChoice } from "./tool-list.ts";

/** Who calls and how, as the endpoint hands it to the handlers of one request. */
export interface Admitted {
  caller: Caller;
  meta: CallMeta;
  plan: string;
  choice: ToolChoice;
  /** The public address of the endpoint. */
  url: string;
  /** The request stands alone, as in the newest revision: what is announced goes to those who listen. */
  isModern?: true;
  /** Where its steps wait for their turn. */
  line: string;
  /** The memory that the request takes; none before its body is read. */
  lease?: BodyLease;
  /** It has become a stream that the client listens on: such are counted by themselves. */
  leaveFlight(): void;
  /** Characters that the results of the request have so far, over all of its batch. */
  answered: { characters: number };
}

/** The admission as it travels through the SDK to the handlers of one request. */
export function authInfo(admission: Admitted) {
  const { caller } = admission;
  return {
    token: "",
    clientId: caller.token.application?.id ?? String(caller.token.id),
    scopes: [...caller.scopes],
    extra: admission as unknown as Record<string, unknown>,
  };
}

export function admittedOf(context: ServerContext): Admitted {
  return context.http?.authInfo?.extra as unknown as Admitted;
}
