import { type AddressRange, isInRanges, parseAddressRange } from "../../kernel/net-address.ts";

/** Where proxies usually are: this machine, and private networks. */
const OWN_NETWORKS = ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
  .map(parseAddressRange)
  .filter((range) => range !== undefined);

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

  /** On an address of the own network: a stranger may write such a header as well. */
  isUntrustedProxy(connection: string, forwardedFor: string | null): boolean {
    return forwardedFor !== null && !this.#isTrusted(connection) && isInRanges(connection, OWN_NETWORKS);
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
