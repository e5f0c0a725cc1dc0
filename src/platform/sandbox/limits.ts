export const LIMITS = {
  sandbox: {
    /** Calls that may wait for a sandbox. */
    queuedCalls: 256,
    /** Parameters of all calls that wait for a sandbox, together. */
    queuedBytes: 256 * 1024 * 1024,
    /** Largest parameters or result of one call. */
    messageBytes: 64 * 1024 * 1024,
    /** Longest start of a sandboxed process. */
    startMs: 30_000,
    /** How long a cancelled call may go on before its process is killed. */
    cancelGraceMs: 1_000,
    /** How often the memory of a busy sandboxed process is looked at. */
    memoryPollMs: 25,
    /** Longest line of a sandboxed process that is logged. */
    logLineCharacters: 2_000,
    /** Largest file that a sandboxed process may write (where the operating system can tell it so). */
    fileBytes: 8 * 1024 * 1024 * 1024,
    /** Files that a sandboxed process may have open. */
    openFiles: 1_024,
  },
} as const;
