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
  /** Named by the operator as `host` or `host:port`: reached wherever that name leads. */
  trusts(host: string, port: number): boolean;
  /** Named by the operator with this very port, which may then be one that is not meant for HTTP. */
  namesPort(host: string, port: number): boolean;
}

/**
 * `allow` holds addresses (`192.168.1.5`), blocks (`10.0.0.0/8`) and servers (`files.internal` for all ports,
 * `files.internal:9000` for one). A block never opens the metadata service of a cloud, which lies in many of
 * them: that takes its exact address.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const ranges: AddressRange[] = [];
  const servers = new Set<string>();
  for (const text of allow) {
    const entry = parseEntry(text);
    if (entry === undefined) {
      throw new TypeError(
        `"${text}" is neither an address, nor a block such as 10.0.0.0/8, nor host or host:port`,
      );
    }
    if (typeof entry === "string") servers.add(entry);
    else ranges.push(entry);
  }
  const singles = ranges.filter(isSingleAddress);

  return {
    mayReach(address) {
      if (isMetadataAddress(address)) return isInRanges(address, singles);
      return isPublicAddress(address) || isInRanges(address, ranges);
    },
    trusts: (host, port) => servers.has(serverKey(host)) || servers.has(serverKey(host, port)),
    namesPort: (host, port) => servers.has(serverKey(host, port)),
  };
}

/** Whether `createAddressPolicy` takes this entry: settings are checked with it, so that the two never disagree. */
export function isAllowEntry(text: string): boolean {
  return parseEntry(text) !== undefined;
}

/** `[::1]` as a URL writes it, `::1` as sockets know it. */
export function bareHost(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

/** A range, or the key of a server. */
function parseEntry(text: string): AddressRange | string | undefined {
  const range = parseAddressRange(/^\[.*\]$/.test(text) ? bareHost(text) : text);
  if (range !== undefined) return range;
  const { name = "", port } = /^(?<name>\[.+\]|[^:]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {};
  const host = bareHost(name);
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined;
  if (isIP(host) === 0 && !isServerName(host)) return undefined;
  return port === undefined ? serverKey(host) : serverKey(host, Number(port));
}

/** What consists of digits and dots only is a mistyped address. */
function isServerName(host: string): boolean {
  return /^[a-z0-9_.-]{1,253}$/i.test(host) && !/^[\d.]*$/.test(host);
}

function serverKey(host: string, port?: number): string {
  return `${host.toLowerCase().replace(/\.$/, "")} ${port ?? "any"}`;
}
