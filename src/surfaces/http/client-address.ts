import { type AddressRange, isInRanges, parseAddressRange } from "../../kernel/net-address.ts";

/** Who is at the other end: the connection itself, or what a trusted proxy says of it. Never a header as such. */
export class ClientAddress {
  readonly #trusted: readonly AddressRange[];

  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.map(parseAddressRange).filter((range) => range !== undefined);
  }

  of(connection: string, forwardedFor: string | null): string {
    if (forwardedFor === null || !this.#isTrusted(connection)) return connection;
    // The rightmost address that is not one of our own proxies: everything left of it can be made up.
    const hops = forwardedFor.split(",").map((hop) => withoutPort(hop.trim()));
    const client = hops.findLast((hop) => !this.#isTrusted(hop));
    return client ?? hops[0] ?? connection;
  }

  #isTrusted(address: string): boolean {
    return isInRanges(address, this.#trusted);
  }
}

/** Some proxies write `203.0.113.9:20001` or `[2001:db8::1]:443`; with its port, each connection would look new. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(hop) ?? [];
  return bracketed ?? plain ?? hop;
}
