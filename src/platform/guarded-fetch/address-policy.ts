import { isIP } from "node:net";
import {
  type AddressRange,
  isInRanges,
  isMetadataAddress,
  isPublicAddress,
  isSingleAddress,
  parseAddressRange,
} from "../../kernel/net-address.ts";

/** Which addresses may be reached. */
export interface AddressPolicy {
  /** Public, or allowed by the operator. */
  mayReach(address: string): boolean;
  /** Named by the operator as `host:port`: reached wherever that name leads, on that port. */
  trusts(host: string, port: number): boolean;
}

/**
 * `allow` holds addresses (`192.168.1.5`), blocks (`10.0.0.0/8`) and servers (`files.internal:9000`). A block
 * never opens the metadata service of a cloud, which lies in many of them: that takes its exact address.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const ranges: AddressRange[] = [];
  const servers = new Set<string>();
  for (const entry of allow) {
    const range = parseAddressRange(entry);
    if (range !== undefined) ranges.push(range);
    else servers.add(parseServer(entry));
  }
  const singles = ranges.filter(isSingleAddress);

  return {
    mayReach(address) {
      if (isMetadataAddress(address)) return isInRanges(address, singles);
      return isPublicAddress(address) || isInRanges(address, ranges);
    },
    trusts(host, port) {
      return servers.has(serverKey(host, port));
    },
  };
}

/** `[::1]` as a URL writes it, `::1` as sockets know it. */
export function bareHost(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

function parseServer(entry: string): string {
  const match = /^(.+):(\d{1,5})$/.exec(entry);
  const host = bareHost(match?.[1] ?? "");
  const port = Number(match?.[2]);
  const isName = /^[a-z0-9_.-]+$/i.test(host) || isIP(host) !== 0;
  if (!isName || port < 1 || port > 65_535) {
    throw new TypeError(`"${entry}" is neither an address, nor a block such as 10.0.0.0/8, nor host:port`);
  }
  return serverKey(host, port);
}

function serverKey(host: string, port: number): string {
  return `${host.toLowerCase().replace(/\.$/, "")} ${port}`;
}
