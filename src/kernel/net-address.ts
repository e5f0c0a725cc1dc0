import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses, as written by an operator (`10.0.0.0/8`, `::1`). */
export interface AddressRange {
  readonly text: string;
  readonly base: Address;
  readonly bits: number;
}

/** Only these IPv6 addresses are handed out to the public Internet. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Where clouds give out credentials to whoever asks from inside. */
const METADATA_ADDRESSES = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
]);

/** One address, or a block in CIDR notation; undefined when it is neither. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const isBlock = text.includes("/");
  try {
    const [base, bits] = isBlock ? ipaddr.parseCIDR(text) : singleAddress(text);
    return { text, base, bits };
  } catch {
    return undefined;
  }
}

function singleAddress(text: string): [Address, number] {
  const address = parseStrict(text);
  if (address === undefined) throw new TypeError("not an address");
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** True when `address` lies in one of the ranges; an IPv4 address in IPv6 clothes counts as IPv4. */
export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  const parsed = unmapped(address);
  if (parsed === undefined) return false;
  return ranges.some((range) => range.base.kind() === parsed.kind() && parsed.match(range.base, range.bits));
}

/** A range that stands for exactly one address. */
export function isSingleAddress(range: AddressRange): boolean {
  return range.bits === (range.base.kind() === "ipv4" ? 32 : 128);
}

/**
 * True for an address of the public Internet. False for loopback, private, link-local, unique-local,
 * carrier-grade NAT, multicast, documentation and reserved addresses, for those that carry an IPv4 address
 * inside (mapped, compatible, 6to4, Teredo, NAT64), and for what is not an address at all.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseStrict(address);
  if (parsed === undefined || METADATA_ADDRESSES.has(parsed.toString())) return false;
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST_V6);
}

export function isMetadataAddress(address: string): boolean {
  const parsed = unmapped(address);
  return parsed !== undefined && METADATA_ADDRESSES.has(parsed.toString());
}

/**
 * The part of an address that one customer holds: an IPv4 address, or the /64 of an IPv6 address (whoever has
 * one IPv6 address has 2^64 of them). What is not an address comes back as it is.
 */
export function addressBlock(address: string): string {
  const parsed = unmapped(address);
  if (parsed === undefined) return address;
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(parsed)}/64`).toString()}/64`;
}

function withoutZone(address: Address): string {
  return address.toString().replace(/%.*$/, "");
}

function unmapped(address: string): Address | undefined {
  const parsed = parseStrict(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return parsed.toIPv4Address();
  return parsed;
}

/** `ipaddr.parse` also reads octal, hexadecimal and shortened IPv4; those have been normalised long before. */
function parseStrict(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}
