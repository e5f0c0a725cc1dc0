export const LIMITS = {
  signIn: {
    /** How long an identity provider may take to answer us. */
    providerTimeoutMs: 10_000,
    /** How long a person may take at the identity provider. */
    atProviderMs: 900_000,
    /** Groups of one person that are taken over from an identity provider; whoever has more cannot sign in by it. */
    groups: 200,
    /** Longest address to return to after that; a longer one leads to the start. */
    returnToCharacters: 1_000,
    /** Oldest message of an identity provider that somebody has signed out there. */
    logoutTokenSeconds: 300,
  },
} as const;
