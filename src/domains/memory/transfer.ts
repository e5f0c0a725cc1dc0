import type { Caller } from "../../registry/caller.ts";
import { type MemoryServices, timeText } from "./define.ts";
import { LIMITS } from "./limits.ts";
import type { MemoryVersion } from "./memory-list.store.ts";
import type { LinkWish } from "./relations.ts";
import type { MemoryRecord, ReadRecord } from "./transfer-formats.ts";

export interface Imported {
  stored: number;
  /** Those whose memory_id was there already; they are left as they are. */
  present: number;
  related: number;
  failed: { at: string; reason: string }[];
  /** Types of relations that nobody knows here, and how often RELATED_TO was taken instead. */
  replaced: Record<string, number>;
}

type Services = Pick<MemoryServices, "memory" | "memories" | "relations" | "rules">;
type Stored = Extract<ReadRecord, { wish: unknown }>;
type Link = { at: string; wish: LinkWish };

/** Stores what files hold, in batches. The same again stores what is missing. */
export async function importMemories(
  services: Services,
  caller: Caller,
  records: AsyncIterable<ReadRecord>,
  onProgress: (done: number) => void,
): Promise<Imported> {
  const importing = new Import(
    services,
    caller,
    (await services.rules.of(caller.workspace.id)).vocabulary.types,
  );
  let done = 0;
  for await (const record of records) {
    await importing.take(record);
    done += 1;
    if (done % LIMITS.memory.importBatch === 0) onProgress(done);
  }
  await importing.end();
  onProgress(done);
  return importing.result;
}

class Import {
  readonly result: Imported = { stored: 0, present: 0, related: 0, failed: [], replaced: {} };
  readonly #services: Services;
  readonly #caller: Caller;
  readonly #types: ReadonlyMap<string, unknown>;
  readonly #seen = new Set<string>();
  readonly #stored = new Set<string>();
  #batch: Stored[] = [];
  #links: Link[] = [];
  /** Relations to what comes later in the file, by what they wait for. */
  readonly #waiting = new Map<string, Link[]>();

  constructor(services: Services, caller: Caller, types: ReadonlyMap<string, unknown>) {
    this.#services = services;
    this.#caller = caller;
    this.#types = types;
  }

  async take(record: ReadRecord): Promise<void> {
    if ("reason" in record) {
      this.result.failed.push({ at: record.at, reason: record.reason });
      return;
    }
    this.#relate(record);
    if (!("wish" in record)) return;
    if (this.#seen.has(record.wish.key)) {
      this.result.present += 1;
      return;
    }
    this.#seen.add(record.wish.key);
    this.#batch.push(record);
    if (this.#batch.length === LIMITS.memory.importBatch) await this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    for (const links of this.#waiting.values()) this.#links.push(...links);
    this.#waiting.clear();
    while (this.#links.length > 0) await this.#link(this.#links.splice(0, LIMITS.memory.importBatch));
  }

  #relate(record: Exclude<ReadRecord, { reason: string }>): void {
    const from = "wish" in record ? record.wish.key : record.from;
    for (const { rel_type, to } of record.relations) {
      const isKnown = this.#types.has(rel_type);
      if (!isKnown) this.result.replaced[rel_type] = (this.result.replaced[rel_type] ?? 0) + 1;
      this.#place({ at: record.at, wish: { from, to, type: isKnown ? rel_type : "RELATED_TO" } });
    }
  }

  /** A relation between memories that are stored can be made; any other waits for the one that is not. */
  #place(link: Link): void {
    const missing = [link.wish.from, link.wish.to].find((key) => !this.#stored.has(key));
    const others = missing === undefined ? this.#links : this.#waiting.get(missing);
    if (others !== undefined) others.push(link);
    else this.#waiting.set(missing as string, [link]);
  }

  async #flush(): Promise<void> {
    const { memory, memories } = this.#services;
    const batch = this.#batch.splice(0);
    const keys = batch.map(({ wish }) => wish.key);
    const taken = await memories.taken(this.#caller.workspace.id, keys);
    const fresh = batch.filter(({ wish }) => !taken.has(wish.key));
    const plain = fresh.filter(({ isDocument }) => !isDocument);
    if (plain.length > 0)
      await memory.store(
        this.#caller,
        plain.map(({ wish }) => wish),
      );
    for (const { wish, isDocument } of fresh) if (isDocument) await memory.upload(this.#caller, wish);
    this.result.stored += fresh.length;
    this.result.present += batch.length - fresh.length;
    for (const key of keys) this.#stored.add(key);
    for (const key of keys) {
      const links = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      for (const link of links) this.#place(link);
    }
    while (this.#links.length >= LIMITS.memory.importBatch)
      await this.#link(this.#links.splice(0, LIMITS.memory.importBatch));
  }

  async #link(links: readonly Link[]): Promise<void> {
    const { linked, refused } = await this.#services.relations.linkAll(
      this.#caller,
      links.map(({ wish }) => wish),
    );
    this.result.related += linked;
    for (const { index, error } of refused)
      this.result.failed.push({ at: links[index]?.at ?? "", reason: error.message });
  }
}

/** All memories of a workspace, the oldest first, with what each said before and the relations that go out from it. */
export async function* exportMemories(
  { memoryList }: Pick<MemoryServices, "memoryList">,
  caller: Caller,
): AsyncGenerator<MemoryRecord> {
  for (let after = 0; ; ) {
    const page = await memoryList.page(caller.workspace.id, after, LIMITS.memory.importBatch);
    const relations = await memoryList.relationsFrom(page.map(({ memoryId }) => memoryId));
    const versions = await memoryList.versionsOf(page.map(({ memoryId }) => memoryId));
    for (const memory of page) {
      const said = versions.get(memory.memoryId) ?? [];
      const own = relations.get(memory.memoryId) ?? [];
      yield {
        memory_id: memory.key,
        ...(memory.kind === "document" && { kind: "document" as const }),
        ...(memory.title !== null && { title: memory.title }),
        content: memory.content,
        memory_type: memory.type,
        ...(memory.tags.length > 0 && { tags: memory.tags }),
        ...(memory.source !== null && { source: memory.source }),
        valid_from: timeText(memory.validFrom),
        ...(memory.validTo !== null && { valid_to: timeText(memory.validTo) }),
        created_at: timeText(memory.createdAt),
        ...(said.length > 1 && historyOf(said)),
        ...(own.length > 0 && { relations: own }),
      };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.memoryId;
  }
}

function historyOf(said: readonly MemoryVersion[]): Partial<MemoryRecord> {
  const reasonOf = ({ updateReason }: MemoryVersion) =>
    updateReason === null ? {} : { update_reason: updateReason };
  const now = said.at(-1) as MemoryVersion;
  const versions = said.slice(0, -1).map((version) => ({
    memory_id: version.key,
    ...(version.title !== null && { title: version.title }),
    content: version.content,
    valid_from: timeText(version.validFrom),
    // What was superseded has an end.
    valid_to: timeText(version.validTo as Date),
    recorded_at: timeText(version.recordedAt),
    ...reasonOf(version),
  }));
  return { recorded_at: timeText(now.recordedAt), ...reasonOf(now), versions };
}
