import { describe, expect, it } from "vitest";
import {
  addressBlock,
  isInRanges,
  isMetadataAddress,
  isPublicAddress,
  isSingleAddress,
  parseAddressRange,
} from "./net-address.ts";

describe("isPublicAddress", () => {
  it.each(["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:82a::200e"])(
    "%s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ["loopback", "127.0.0.1"],
    ["loopback, elsewhere in the block", "127.255.255.254"],
    ["loopback v6", "::1"],
    ["unspecified", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["unspecified v6", "::"],
    ["private 10", "10.0.0.1"],
    ["private 172", "172.31.255.255"],
    ["private 192", "192.168.1.1"],
    ["link-local", "169.254.1.1"],
    ["metadata", "169.254.169.254"],
    ["metadata of Azure, which is a public address", "168.63.129.16"],
    ["metadata of Alibaba", "100.100.100.200"],
    ["metadata of Oracle", "192.0.0.192"],
    ["metadata of AWS v6", "fd00:ec2::254"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["multicast", "224.0.0.1"],
    ["multicast v6", "ff02::1"],
    ["broadcast", "255.255.255.255"],
    ["reserved", "240.0.0.1"],
    ["documentation", "203.0.113.5"],
    ["benchmarking", "198.18.0.1"],
    ["link-local v6", "fe80::1"],
    ["link-local v6 with zone", "fe80::1%eth0"],
    ["unique-local", "fc00::1"],
    ["site-local", "fec0::1"],
    ["mapped private", "::ffff:10.0.0.1"],
    ["mapped public", "::ffff:8.8.8.8"],
    ["mapped in hexadecimal", "::ffff:7f00:1"],
    ["compatible", "::127.0.0.1"],
    ["translated", "::ffff:0:127.0.0.1"],
    ["NAT64", "64:ff9b::7f00:1"],
    ["NAT64 for local use", "64:ff9b:1::a00:1"],
    ["6to4", "2002:7f00:1::"],
    ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["documentation v6", "2001:db8::1"],
    ["documentation v6, newer", "3fff::1"],
    ["discard", "100::1"],
    ["not handed out", "4000::1"],
    ["octal", "0177.0.0.1"],
    ["decimal", "2130706433"],
    ["short", "127.1"],
    ["no address", "example.com"],
    ["nothing", ""],
  ])("%s is not: %s", (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("ranges", () => {
  const ranges = ["10.0.0.0/8", "192.168.1.5", "fd12::/16", "::1"].map((text) => parseAddressRange(text)!);

  it.each([
    ["10.20.30.40", true],
    ["::ffff:10.20.30.40", true],
    ["11.0.0.1", false],
    ["192.168.1.5", true],
    ["192.168.1.6", false],
    ["fd12::99", true],
    ["fd13::99", false],
    ["::1", true],
    ["nonsense", false],
  ])("%s: %s", (address, expected) => {
    expect(isInRanges(address, ranges)).toBe(expected);
  });

  it("tells one address from many", () => {
    expect(ranges.map(isSingleAddress)).toEqual([false, true, false, true]);
  });

  it.each(["10.0.0.0/33", "10.0.0", "example.com", "", "10.0.0.0/", "::1/129"])("%j is no range", (text) => {
    expect(parseAddressRange(text)).toBeUndefined();
  });

  it("knows metadata addresses in IPv6 clothes", () => {
    expect(isMetadataAddress("::ffff:169.254.169.254")).toBe(true);
    expect(isMetadataAddress("169.254.169.253")).toBe(false);
  });
});

describe("addressBlock", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2a00:1450:4001:82a::200e", "2a00:1450:4001:82a::/64"],
    ["2a00:1450:4001:82a:ffff::1", "2a00:1450:4001:82a::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["unknown", "unknown"],
  ])("%s counts as %s", (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});
