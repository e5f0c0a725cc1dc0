export const LIMITS = {
  llm: {
    /** Largest answer of a provider of language models, as it comes. */
    answerBytes: 1024 * 1024,
    /** Times that a call is repeated when the provider is overloaded (429) or fails (5xx). */
    retries: 1,
    /** Longest prompt that is sent to a language model. */
    promptCharacters: 120_000,
  },
} as const;
