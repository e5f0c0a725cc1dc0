/** An address, fixed or with `{parameters}`, each of which stands for one path segment. */
export class UriPattern {
  readonly template: string;
  readonly params: readonly string[];
  readonly #regex: RegExp;

  constructor(template: string) {
    this.template = template;
    this.params = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
    const escaped = template.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    this.#regex = new RegExp(`^${escaped.join("([^/?#]+)")}$`);
  }

  get isTemplate(): boolean {
    return this.params.length > 0;
  }

  /** The values of the parameters, decoded; undefined when the address is another one. */
  match(uri: string): Record<string, string> | undefined {
    const match = this.#regex.exec(uri);
    if (match === null) return undefined;
    try {
      return Object.fromEntries(
        this.params.map((name, i) => [name, decodeURIComponent(match[i + 1] as string)]),
      );
    } catch {
      // A malformed escape is no address of ours.
      return undefined;
    }
  }

  expand(values: Record<string, string>): string {
    return this.template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  }
}
