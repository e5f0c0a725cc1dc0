export const LIMITS = {
  server: {
    /** How long a stopping server waits for calls that still run; then they are told that it stops. */
    drainMs: 10_000,
    /** How long it then waits for these answers to be out. */
    farewellMs: 2_000,
    /** Largest headers of a request. */
    headerBytes: 32 * 1024,
    /** Longest time in which the headers of a request must arrive. */
    headersMs: 20_000,
    /** Longest time in which a whole request must arrive. */
    requestMs: 300_000,
    /** Connections that are open at once; more are closed at once. */
    connections: 5_000,
    /** How long an idle connection is kept. */
    keepAliveMs: 65_000,
    /** Longest that each check of `/api/health/ready` may take. */
    readyMs: 10_000,
    /** How long an answer of `/api/health/ready` is given again, so that asking often costs nothing. */
    readyKeptMs: 1_000,
    /** With less free space where the home is, `/api/health/ready` says no. */
    diskFreeBytes: 64 * 1024 * 1024,
    /** With room for fewer files there, it says no as well. */
    diskFreeFiles: 1_000,
  },
} as const;
