export const LIMITS = {
  memory: {
    /** Largest content of one memory. */
    contentBytes: 100 * 1024,
    /** Largest text of a document. */
    documentBytes: 10 * 1024 * 1024,
    /** Longest title of a memory. */
    titleCharacters: 500,
    /** Longest source of a memory. */
    sourceCharacters: 2_000,
    /** Longest reason of an update. */
    reasonCharacters: 2_000,
    /** Longest id of a memory. */
    idCharacters: 200,
    /** Tags of one memory. */
    tags: 50,
    /** Longest tag. */
    tagCharacters: 100,
    /** Longest question of a recall. */
    queryCharacters: 2_000,
    /** Hits of one recall. */
    hits: 25,
    /** Memories that a recall weighs by more than their words. */
    candidates: 100,
    /** How far a recall follows relations. */
    hops: 3,
    /** Relations of one memory that a recall follows. */
    hubRelations: 64,
    /** Memories from which each hop of a recall goes on; those to which the most has come. */
    frontier: 50,
    /** Related memories that come with the hits of one recall, beside these. */
    companions: 10,
    /** Related memories that come with one hit. */
    companionsOfHit: 5,
    /** Characters of a related memory's text that come with a hit. */
    companionCharacters: 2_000,
    /** Relations of one memory that are listed, in each direction; the newest ones. */
    listedRelations: 1_000,
    /** Memories in one chain of relations that cannot run in a circle, such as SUPERSEDES. */
    acyclicMemories: 10_000,
    /** Names that one text can mention as [[name]] or @name. */
    mentions: 100,
    /** Documents up to this size are split at once, longer ones in a thread. */
    splitHereCharacters: 50_000,
    /** Longest that splitting a document may take. */
    splitMs: 20_000,
    /** How long counts of recalls wait to be written together. */
    usageWriteMs: 5_000,
    /** Memories of one page of a list. */
    listedMemories: 200,
    /** Largest text of a workspace's rules for relations. */
    shapesBytes: 64 * 1024,
    /** Longest that checking a relation against these rules may take, with the start of its thread. */
    shapesMs: 5_000,
    /** Types of relations that these rules can add. */
    ownTypes: 200,
    /** Memories that a new one is compared with. */
    similar: 10,
    /** Former versions that one line of an import can have. */
    formerVersions: 1_000,
    /** Lines of an import that are stored together. */
    importBatch: 500,
  },
} as const;
