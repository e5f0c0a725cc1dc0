export const LIMITS = {
  embeddings: {
    /** Characters of a text that are looked at; the model's own measure, 512 tokens, is usually reached before. */
    characters: 8_000,
    /** Texts that are embedded in one step. */
    batch: 8,
    /** Characters of these, about, where a thread of ours embeds: questions come between steps, and larger ones are no faster. */
    stepCharacters: 2_000,
    /** Texts that are embedded in the background before their vectors are kept. */
    step: 64,
    /** Processor cores that embedding may use at once. */
    cores: 1,
    /** Questions whose vectors are remembered. */
    keptQueries: 500,
    /** How long a question waits for its vector before it is answered by words alone. */
    queryMs: 3_000,
    /** Longest that an endpoint of the operator's may take for one batch. */
    endpointMs: 60_000,
  },
} as const;
