export const LIMITS = {
  delivery: {
    /** Mails that one server sends at the same time. */
    mailsAtOnce: 8,
    /** Webhooks and chat messages that one server sends at the same time: they wait for others, not for the processor. */
    postsAtOnce: 16,
    /** Of either, of one workspace, so that it takes several with slow receivers to delay anybody else's. */
    perWorkspace: 4,
    /** Longest that one try of a delivery may take. */
    tryMs: 60_000,
    /** Recipients of one message. */
    recipients: 50,
    /** Longest address of mail. */
    addressCharacters: 254,
    /** Longest URL of a webhook. */
    urlCharacters: 2_000,
    /** Longest subject of a message. */
    subjectCharacters: 200,
    /** Largest attachment of a message; the rest is left out, and the message says so. */
    attachmentBytes: 1024 * 1024,
    /** Channels of one workspace. */
    channels: 200,
    /** Longest name of a channel. */
    channelCharacters: 80,
    /** Hours that the former secret of a webhook signs beside the new one. */
    rotationHours: 24,
    /** Longest reason that is kept of a try that failed. */
    errorCharacters: 500,
    /** How long messages and what became of them are kept. */
    keepDays: 30,
  },
} as const;
