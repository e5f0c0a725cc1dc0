export const LIMITS = {
  commandLine: {
    /** Size at which the log of unexpected errors is put aside; one older file is kept. */
    errorLogBytes: 5 * 1024 * 1024,
    /** Longest graceful stop of the server after a signal. */
    stopMs: 30_000,
    /** Longest that one check of the doctor may take. */
    checkMs: 15_000,
    /** Longest that the doctor reads all files of the datasets (`--deep`). */
    deepCheckMs: 12 * 60 * 60_000,
  },
  stdio: {
    /** How long the bridge for desktop clients waits for a server that is not running yet. */
    startWaitMs: 10_000,
    /** How often it looks whether the server is there. */
    startPollMs: 250,
    /** Longest wait for the answer when it opens a new session. */
    handshakeMs: 10_000,
    /** How long it waits for answers after the client has closed its end. */
    drainMs: 5_000,
    /** How long it tries to end its session before it goes. */
    farewellMs: 1_000,
  },
} as const;
