/** Datasets joined without circles; upper and lower case are the same. */
export class JoinTree {
  readonly #names = new Map<string, string>();
  readonly #links = new Map<string, string[]>();
  /** The way to the representative of a tree: two datasets are joined when they have the same one. */
  readonly #above = new Map<string, string>();

  /** Joins two datasets; false when they already are, be it by way of others. */
  join(from: string, to: string): boolean {
    const [a, b] = [this.#key(from), this.#key(to)];
    if (this.#top(a) === this.#top(b)) return false;
    this.#above.set(this.#top(a), this.#top(b));
    this.#links.get(a)?.push(b);
    this.#links.get(b)?.push(a);
    return true;
  }

  #key(name: string): string {
    const key = name.toLowerCase();
    if (!this.#names.has(key)) {
      this.#names.set(key, name);
      this.#links.set(key, []);
    }
    return key;
  }

  #top(key: string): string {
    let top = key;
    for (let next = this.#above.get(top); next !== undefined; next = this.#above.get(top)) {
      const further = this.#above.get(next);
      if (further !== undefined) this.#above.set(top, further);
      top = next;
    }
    return top;
  }

  /** The datasets on the way, without its ends. Looks at all of them. */
  between(start: string, end: string): string[] {
    const [from, to] = [start.toLowerCase(), end.toLowerCase()];
    const cameFrom = new Map<string, string>([[to, to]]);
    for (const place of cameFrom.keys()) {
      if (place === from) break;
      for (const next of this.#links.get(place) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, place);
    }
    const way: string[] = [];
    for (let place = cameFrom.get(from); place !== undefined && place !== to; place = cameFrom.get(place)) {
      way.push(this.#names.get(place) ?? place);
    }
    return way;
  }
}
