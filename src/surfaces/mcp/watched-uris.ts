/** The resources that streams of the newest revision listen to, by workspace; the SDK keeps that to itself. */
export class WatchedUris {
  readonly #streams = new Map<number, Set<readonly string[]>>();

  /** Gives back the function that forgets them again. */
  add(workspaceId: number, uris: readonly string[]): () => void {
    const own = [...uris];
    const streams = this.#streams.get(workspaceId) ?? new Set();
    this.#streams.set(workspaceId, streams.add(own));
    return () => {
      streams.delete(own);
      if (streams.size === 0) this.#streams.delete(workspaceId);
    };
  }

  /** Each once, however many listen. */
  of(workspaceId: number): string[] {
    return [...new Set([...(this.#streams.get(workspaceId) ?? [])].flat())];
  }

  workspaces(): number[] {
    return [...this.#streams.keys()];
  }
}
