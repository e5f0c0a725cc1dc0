import type { Permission, Role } from "../../kernel/permissions.ts";
import type { Application, Caller, SurfaceName, TokenKind, TokenLimits } from "../../registry/caller.ts";
import type { AuditSink, Authorizer, Limiter } from "../../registry/ports.ts";
import type { TokenVerifier } from "./authentication/grant.ts";
import type { RegisteredClients } from "./oauth/registered-clients.store.ts";

/** What the identity slice offers to surfaces, to the command line and to jobs. */
export interface Identity {
  /** Whether people can sign in with a password. */
  readonly passwordSignIn: boolean;
  readonly workspaces: Workspaces;
  readonly users: Users;
  readonly federation: Federation;
  readonly membership: Membership;
  readonly groups: Groups;
  readonly tokens: Tokens;
  readonly clients: LoginClients;
  readonly oauthClients: RegisteredClients;
  readonly usage: Usage;
  readonly audit: AuditLog;
  readonly authorizer: Authorizer;
  readonly limiter: TransportLimiter;

  /**
   * Turns a bearer token into a caller, or throws AppError `unauthorized` with `data.reason` (never to be shown).
   * Failures are counted by address and recorded here: once an address has failed too often the error is `rate_limited`.
   */
  authenticate(proof: Proof): Promise<Authenticated>;
  /** The caller that a job acts for, with the power its owner has now. */
  callerFor(owner: JobOwner): Promise<Caller>;
  /** Lets tokens of another making in, such as those of the authorization server. */
  addVerifier(verifier: TokenVerifier): void;
  /**
   * Makes the first workspace and its admin when there is no account at all; otherwise null. Of several servers
   * that start at once exactly one makes them. `keep` is called before the account is there, so that a crash
   * cannot leave an account whose password nobody has seen.
   */
  ensureFirstAdmin(options?: {
    keep?: (admin: FirstAdmin) => void | Promise<void>;
  }): Promise<FirstAdmin | null>;
  close(): Promise<void>;
}

/** For whom a job works, as plain data: made by `ownerOf`, turned back into a caller by `callerFor`. */
export interface JobOwner {
  workspaceId: number;
  userId: number;
  /** The token in our table that the work was asked for with. */
  tokenId?: number;
  /** Work of the command line: it sees personal and group knowledge bases and has no rate limits. */
  operator?: true;
  /** What a token that is not in our table allowed; all that the role allows when left out. */
  scopes?: readonly Permission[];
  limits?: TokenLimits;
  application?: Application;
}

export interface FirstAdmin {
  email: string;
  workspace: string;
  /** Shown once: only its hash is kept. */
  password: string;
}

export interface Proof {
  /** The value of the Authorization header, as it came. */
  authorization: string | null;
  surface: SurfaceName;
  /** The exact audience that an OAuth token must be made for (or APP_URL itself). */
  resource: string;
  /** The workspace named in the path (models only). */
  workspaceSlug?: string;
  address: string;
  /** What the client calls itself, for the list of tokens. */
  client?: string;
}

export interface Authenticated {
  caller: Caller;
  /** A hash of the token that is safe to use as a key. */
  tokenHash: string;
  /** The plan of the workspace: some limits depend on it. */
  plan: string;
}

/** Who changes something, for the audit log: a person, or the operator at the command line. */
export type Actor = { userId: number } | "operator";

export interface Workspace {
  id: number;
  slug: string;
  name: string;
  plan: string;
  createdAt: Date;
}

/** A plan by its name, or limits of the workspace's own by what they limit. */
export type PlanWish = { plan: string } | { limits: Readonly<Record<string, number>> };

export interface Workspaces {
  create(input: { slug: string; name?: string }): Promise<Workspace>;
  list(): Promise<Workspace[]>;
  /** Throws `not_found`. */
  bySlug(slug: string): Promise<Workspace>;
  setPlan(slug: string, wish: PlanWish): Promise<void>;
  /** With everything in it, for good; files that only it used are swept later. */
  remove(id: number): Promise<void>;
}

export interface Member {
  userId: number;
  email: string;
  name: string;
  workspace: string;
  role: Role;
  /** What policies of datasets can ask for. */
  attributes: Readonly<Record<string, string>>;
  disabled: boolean;
  createdAt: Date;
}

/** Where a request came from, for the audit log. */
export interface Origin {
  address: string;
  requestId: string;
}

export interface Users {
  /** Creates the account when the e-mail is new, and makes it a member. Returns the generated password when none was given and the account is new. */
  create(input: {
    email: string;
    name?: string;
    workspace: string;
    role: Role;
    password?: string;
    /** The operator when left out, as everywhere below. */
    by?: Actor;
  }): Promise<{ member: Member; generatedPassword: string | null }>;
  list(filter?: { workspace?: string }): Promise<Member[]>;
  /** Where this person is a member, and as what. */
  workspacesOf(userId: number): Promise<{ id: number; slug: string; name: string; role: Role }[]>;
  disable(email: string, by?: Actor): Promise<void>;
  enable(email: string, by?: Actor): Promise<void>;
  setRole(input: { email: string; workspace: string; role: Role; by?: Actor }): Promise<Member>;
  /** Null takes the attribute away. */
  setAttribute(input: {
    email: string;
    workspace: string;
    name: string;
    value: string | null;
    by?: Actor;
  }): Promise<Member>;
  setPassword(email: string, password: string, by?: Actor): Promise<void>;
  /** By the person, who proves it with the current one; throws `forbidden` when that does not fit. */
  changePassword(change: {
    userId: number;
    email: string;
    current: string;
    password: string;
    address: string;
  }): Promise<void>;
  /**
   * The account when e-mail and password fit and it is not disabled; otherwise null, in the same time. Recorded either
   * way. Throws `rate_limited` once the address has guessed too often.
   */
  signIn(email: string, password: string, from: Origin): Promise<{ userId: number; email: string } | null>;
  signedOut(userId: number | null, from: Origin): void;
}

/** Sign-in by a company's identity provider. */
export interface Federation {
  /**
   * The account of somebody whom a provider vouches for: known by subject, found by e-mail, or made where they are
   * invited or may join. Throws `forbidden` when they are not welcome; recorded either way.
   */
  signIn(person: FederatedPerson, from: Origin): Promise<{ userId: number; email: string }>;
  /** Who a subject is here; null where it never signed in. */
  accountOf(issuer: string, subject: string): Promise<number | null>;
  /** Forgets who an account is to providers; resolves with how many links that were. */
  unlink(email: string): Promise<number>;
}

/** Somebody as an identity provider tells of them, after its token was checked. */
export interface FederatedPerson {
  /** Our short name of the provider, for the audit log. */
  provider: string;
  issuer: string;
  /** Who it is to the issuer, for ever; the e-mail may change. */
  subject: string;
  /** Only if the provider has made sure of it, and is trusted to speak for its domain. */
  email: string | null;
  name?: string;
  /** Where the provider's people are members without an invitation. */
  join?: JoinRule;
}

export interface JoinRule {
  workspace: string;
  /** Of a new member. */
  role: Role;
  /** What the person's groups give them today; without it, a role stays what an admin makes it. */
  mappedRole?: Role;
  /** All that they shall be in; without it, groups stay as admins set them. */
  groups?: readonly string[];
  attributes: Readonly<Record<string, string | null>>;
}

/** What an admin wants somebody to be; what is left out stays as it is. */
export interface MemberWish {
  workspaceId: number;
  email: string;
  role?: Role;
  /** All that they shall be in, by name; those that there are not yet are made. */
  groups?: readonly string[];
  /** Null takes an attribute away. */
  attributes?: Readonly<Record<string, string | null>>;
  by: { userId: number };
}

export interface Invitation {
  email: string;
  role: Role;
  groups: readonly string[];
  attributes: Readonly<Record<string, string>>;
  createdAt: Date;
  expiresAt: Date;
}

/** Members as the admins of their workspace look after them. */
export interface Membership {
  list(
    workspaceId: number,
  ): Promise<{ members: (Member & { groups: string[] })[]; invitations: Invitation[]; groups: string[] }>;
  /** Changes a member, or invites whoever is none: the secret is in the link, and told once. All of it or nothing. */
  set(
    wish: MemberWish,
  ): Promise<{ member: Member & { groups: string[] } } | { invitation: Invitation; secret: string }>;
  /** Takes a member out, or an invitation back. */
  remove(wish: {
    workspaceId: number;
    email: string;
    by: { userId: number };
  }): Promise<"member" | "invitation">;
  /** What a link is for; throws `gone` when it is good no longer. */
  invitation(secret: string): Promise<{ email: string; workspace: string; role: Role }>;
  /** By somebody who has signed in with the address that was invited. */
  join(secret: string, person: { userId: number; email: string }): Promise<{ workspace: string }>;
  /** By somebody who proves with a password whose address it is, or makes an account with it. */
  joinWithPassword(
    secret: string,
    person: { name: string; password: string },
    from: Origin,
  ): Promise<{ userId: number; workspace: string }>;
  sweep(): Promise<void>;
}

export interface Groups {
  create(input: {
    workspace: string;
    name: string;
    displayName?: string;
  }): Promise<{ id: number; name: string }>;
  list(workspace: string): Promise<{ id: number; name: string; displayName: string; members: string[] }[]>;
  addMember(input: { workspace: string; group: string; email: string }): Promise<void>;
  removeMember(input: { workspace: string; group: string; email: string }): Promise<void>;
}

/** The kinds that people make for themselves; `bearer` comes from login, `oauth` from the authorization server. */
export type MadeTokenKind = Extract<TokenKind, "api" | "mcp" | "memory" | "knowledge">;

export interface TokenInfo {
  id: number;
  kind: TokenKind;
  name: string;
  /** The first characters, enough to recognise it. */
  hintText: string;
  email: string;
  workspace: string;
  scopes: readonly Permission[] | null;
  limits: TokenLimits;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  lastUsedClient: string | null;
}

export interface Tokens {
  /** The token itself is shown here once and never again. */
  create(input: {
    email: string;
    workspace: string;
    kind: MadeTokenKind;
    name?: string;
    scopes?: readonly string[];
    limits?: Partial<TokenLimits>;
    /** Milliseconds from now; the default depends on the kind. */
    expiresInMs?: number;
    by?: Actor;
  }): Promise<{ token: string; info: TokenInfo }>;
  list(filter?: { workspace?: string; email?: string; includeEnded?: boolean }): Promise<TokenInfo[]>;
  revoke(id: number, by?: Actor): Promise<void>;
  /** By its owner; anybody else's token is `not_found`. */
  revokeOwn(ownerId: number, id: number): Promise<void>;
}

export interface LoginClients {
  create(input: {
    email: string;
    workspace: string;
    by?: Actor;
  }): Promise<{ clientId: string; clientSecret: string }>;
  /** A bearer of one hour, or AppError `unauthorized`. */
  login(input: {
    clientId: string;
    clientSecret: string;
    address: string;
  }): Promise<{ token: string; expiresInSeconds: number }>;
}

/** Plans: how much of something a workspace may use. */
export interface Usage {
  /** Takes `amount` of a metered thing, or throws AppError `plan_limit`. Without a limit in the plan, or not bounded by it, it only counts. */
  take(
    workspaceId: number,
    metric: string,
    amount?: number,
    options?: { isBounded?: boolean },
  ): Promise<void>;
  /** Gives back what was taken for something that then failed. */
  giveBack(workspaceId: number, metric: string, amount?: number): Promise<void>;
  report(
    workspaceId: number,
  ): Promise<{ metric: string; used: number; limit: number | null; period: string }[]>;
  /** What each member has used of agent calls and language models this month, as far as the audit log goes back. */
  byMember(workspaceId: number): Promise<MemberUsage[]>;
}

export interface MemberUsage {
  email: string;
  agentCalls: number;
  llmCalls: number;
  llmTokens: number;
}

export interface AuditRecord {
  id: number;
  at: Date;
  action: string;
  userId: number | null;
  email: string | null;
  resourceType: string | null;
  resourceId: string | null;
  success: boolean;
  outcome: string;
  durationMs: number;
  tokenId: number | null;
  applicationId: string | null;
  address: string | null;
  datasets: readonly number[];
  metadata: Record<string, unknown>;
}

export interface AuditFilter {
  action?: string;
  userId?: number;
  success?: boolean;
  tokenId?: number;
  /** Of an OAuth client: its id, or what it calls itself. */
  application?: string;
  address?: string;
  /** Only what read or changed this dataset. */
  datasetId?: number;
  slowerThanMs?: number;
  /** Only what clients did elsewhere than in a browser (null); or all without calls of these tools in a browser. */
  notInBrowser?: readonly string[] | null;
  since?: Date;
  /** Up to then, and not including it. */
  until?: Date;
  /** Only events with a smaller id. */
  before?: number;
  limit: number;
}

export interface AuditLog extends AuditSink {
  /**
   * The newest first. Of one workspace: also sign-ins of its members, when they are asked for by their action; for the
   * operator (null) everything, also what belongs to no workspace.
   */
  list(
    workspaceId: number | null,
    filter: AuditFilter,
  ): Promise<{ events: AuditRecord[]; nextBefore: number | null }>;
  flush(): Promise<void>;
  /** Removes what is older than the retention. */
  sweep(): Promise<number>;
}

export interface TransportLimiter extends Limiter {
  /** Counts a request before it is served, by token, member and address. Throws AppError `rate_limited` with `data.retryAfterMs`. */
  admit(request: {
    surface: SurfaceName;
    tokenHash: string;
    /** Whose token it is; left out where it is nobody's, as with an embed. */
    userId?: number;
    address: string;
    plan?: string;
    /** How many requests it counts as, such as the messages of a batch; 1 when left out. */
    cost?: number;
  }): Promise<void>;
  /** Slows down guessing: throws `rate_limited` once an address has failed too often. */
  admitAttempt(address: string): Promise<void>;
  failedAttempt(address: string): Promise<void>;
  /** Counts a request to the authorization or the registration endpoint. */
  admitAuthorization(address: string): Promise<void>;
  /** Counts a request for a token. */
  admitTokenExchange(address: string): Promise<void>;
}
