import { describe, expect, it } from "@jest/globals";
import { networkOf } from "../../../shared/terms/ip-address.ts";

describe("the network of an address", () => {
  it.each([
    ["an IPv4 address", "192.0.2.7", "192.0.2.7"],
    ["an IPv4-mapped address", "::ffff:192.0.2.7", "192.0.2.7"],
    ["an IPv4-mapped address in hexadecimal", "::FFFF:c000:0207", "192.0.2.7"],
    ["an IPv6 address", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["another address of the same /64", "2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
    ["the last address of the same /64", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["an address of the next /64", "2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["an address with zeros", "2001:db8::1", "2001:db8:0:0::/64"],
    ["the loopback address", "::1", "0:0:0:0::/64"],
    ["an address that embeds IPv4 otherwise", "64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
    ["an address with a zone", "fe80::1%eth0", "fe80::1%eth0"],
    ["a text that is no address", "unknown", "unknown"],
    ["an empty text", "", ""],
  ])("%s", (_what, address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
