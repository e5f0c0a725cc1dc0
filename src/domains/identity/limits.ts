export const LIMITS = {
  identity: {
    /** Shortest password. Length is what resists guessing (NIST SP 800-63B); no rules on its characters. */
    passwordMinCharacters: 12,
    /** Longest password, so that hashing cannot be made to work on megabytes. */
    passwordMaxCharacters: 256,
    /** Passwords hashed at once in one process: each takes 19 MiB and a thread for about 50 ms. */
    passwordHashesAtOnce: 2,
    /** Password checks that may wait for their turn; more are turned away. */
    passwordHashesWaiting: 50,
    /** Longest Authorization header. */
    authorizationCharacters: 8_192,
    /** How long the link of an invitation is good. */
    invitationMs: 7 * 24 * 3_600_000,
    /** Invitations of one workspace that nobody has come by yet. */
    invitationsPerWorkspace: 500,
    /** Groups of one workspace. */
    groupsPerWorkspace: 500,
    /** Attributes of a member, which policies of datasets can ask for. */
    attributesPerMember: 50,
    /** Longest value of an attribute. */
    attributeCharacters: 500,
    /** Tokens of one person in one workspace that are neither expired nor revoked. */
    tokensPerMember: 200,
    /** Requests of one person with all their tokens together, as a multiple of what one token may make. */
    tokensWorthPerMember: 5,
    /** Names of workspaces, people, groups and tokens. */
    nameCharacters: 100,
    /** Toolsets, models or knowledge bases that one token may be limited to. */
    namesPerTokenLimit: 100,
    /** Tokens whose owner and power are kept in memory in one process. */
    cachedTokens: 10_000,
    /** Longest that a token's power is kept in memory; a change is seen at once, this only bounds a missed one. */
    cachedTokenMs: 30_000,
    /** Largest body of a sign-in with client id and secret. */
    loginBytes: 4 * 1024,
    /** Longest that a request waits for the database to say whose its token is. */
    tokenLookupMs: 5_000,
    /** How long a used refresh token still gives what it gave, and nothing else, to requests that were sent beside the first. */
    refreshGraceMs: 5_000,
    /** Longest that such a request waits for the answer to the first. */
    refreshWaitMs: 2_000,
    /** Audit events that wait for the database; calls are slowed down from half of it on, and what is beyond it is counted and dropped. */
    auditWaitingEvents: 20_000,
    /** Longest that a call is held up for audit events to be written; an outage must not stop everything. */
    auditRoomMs: 2_000,
    /** Audit events written in one statement. */
    auditBatchEvents: 2_000,
    /** Longest time an audit event waits before it is written. */
    auditBatchMs: 200,
    /** Audit events in one page of a listing. */
    auditPageEvents: 500,
  },
} as const;
