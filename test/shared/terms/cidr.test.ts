import { BlockList } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { isInNetworks } from "../../../shared/terms/cidr.ts";
import { Cidr } from "../../../shared/terms/cidr-text.ts";
import { fc } from "../../support/fixed-seed.ts";

const isCidr = (text: unknown) => Cidr.safeParse(text).success;

describe("a CIDR", () => {
  it.each([
    "0.0.0.0/0",
    "192.0.2.0/24",
    "192.0.2.7/24",
    "192.0.2.7/32",
    "::/0",
    "::1/128",
    "2001:db8::/32",
    "2001:DB8::/32",
    "2001:db8:0:0:0:0:0:1/64",
    "1::/16",
    "::192.0.2.7/128",
    "64:ff9b::192.0.2.7/128",
    "::ffff:192.0.2.7/128",
    "::ffff:0:0/96",
    "0000:0000:0000:0000:0000:FFFF:192.168.100.100/128",
  ])("may be %s", (text) => {
    expect(isCidr(text)).toBe(true);
    // The pattern accepts only networks that are understood.
    expect(isInNetworks(text.slice(0, text.indexOf("/")), [text])).toBe(true);
  });

  it.each([
    "",
    "/",
    "/24",
    "192.0.2.0",
    "192.0.2.0/",
    "192.0.2.0/33",
    "192.0.2.0/-1",
    "192.0.2.0/+1",
    "192.0.2.0/08",
    "192.0.2.0/00",
    "192.0.2.0/1e1",
    "192.0.2.0/24.0",
    "192.0.2.0/255.255.255.0",
    "192.0.2.0/24/24",
    " 192.0.2.0/24",
    "192.0.2.0/24\n",
    "192.0.2.0 /24",
    "192.0.2/24",
    "192.0.2.0.1/24",
    "192.0.2.256/24",
    "192.0.2.00/24",
    "010.0.0.1/8",
    "0x7f.0.0.1/8",
    "2130706433/8",
    "1.1.1.１/8",
    "::/129",
    "2001:db8::",
    "2001:db8::/032",
    "2001:db8::1::1/64",
    "2001:db8:::/64",
    ":1::/64",
    "2001:db8:0:0:0:0:0:0:1/64",
    "2001:db8/32",
    "12345::/64",
    "g::/64",
    "[::1]/128",
    "fe80::1%eth0/64",
    "fe80::1/64%eth0",
    "::ffff:192.0.2.7/95",
    "::ffff:c000:207/95",
    "::ffff:192.0.2.07/128",
    "::ffff:192.0.2.256/128",
    "192.0.2.7::/128",
    "example.com/24",
    "0.0.0.0/0,::/0",
  ])("must not be %j", (text) => {
    expect(isCidr(text)).toBe(false);
    expect(isInNetworks(text.slice(0, text.indexOf("/")), [text])).toBe(false);
  });

  it.each([undefined, null, 24, {}, ["192.0.2.0/24"], "9".repeat(100_000), `${"1:".repeat(50_000)}/8`])(
    "must not be another value",
    (value) => {
      expect(isCidr(value)).toBe(false);
    },
  );
});

describe("an address", () => {
  it.each([
    ["192.0.2.7", ["192.0.2.0/24"], true],
    ["192.0.2.7", ["192.0.2.255/24"], true],
    ["192.0.3.0", ["192.0.2.0/24"], false],
    ["192.0.1.255", ["192.0.2.0/24"], false],
    ["192.0.2.127", ["192.0.2.0/25"], true],
    ["192.0.2.128", ["192.0.2.0/25"], false],
    ["192.0.2.7", ["192.0.2.7/32"], true],
    ["192.0.2.6", ["192.0.2.7/32"], false],
    ["255.255.255.255", ["0.0.0.0/0"], true],
    ["128.0.0.0", ["0.0.0.0/1"], false],
    ["192.0.2.7", ["10.0.0.0/8", "2001:db8::/32", "192.0.2.0/24"], true],
    ["2001:db8::7", ["2001:db8::/32"], true],
    ["2001:DB8:0:0::7", ["2001:db8::/32"], true],
    ["2001:db9::7", ["2001:db8::/32"], false],
    ["2001:db8::ffff", ["2001:db8::/113"], false],
    ["2001:db8::7fff", ["2001:db8::/113"], true],
    ["::1", ["::1/128"], true],
    ["::2", ["::1/128"], false],
    ["ffff::", ["::/0"], true],
    // IPv4 and IPv6 are separate: each family has its own network of all addresses.
    ["192.0.2.7", ["::/0"], false],
    ["2001:db8::7", ["0.0.0.0/0"], false],
    ["::c000:207", ["192.0.2.7/32"], false],
    // An IPv4-mapped address is its IPv4 address, on either side and in any notation.
    ["::ffff:192.0.2.7", ["192.0.2.0/24"], true],
    ["::FFFF:c000:207", ["192.0.2.0/24"], true],
    ["0:0:0:0:0:ffff:192.0.2.7", ["192.0.2.0/24"], true],
    ["::ffff:192.0.2.7", ["::/0"], false],
    ["192.0.2.7", ["::ffff:192.0.2.0/120"], true],
    ["192.0.2.7", ["::ffff:c000:200/120"], true],
    ["192.0.3.7", ["::ffff:c000:200/120"], false],
    ["192.0.2.7", ["::ffff:0:0/96"], true],
    ["2001:db8::7", ["::ffff:0:0/96"], false],
    // A text that is not an address is in no network.
    ["", ["0.0.0.0/0", "::/0"], false],
    ["unknown", ["0.0.0.0/0", "::/0"], false],
    ["192.0.2.7, 10.0.0.1", ["0.0.0.0/0", "::/0"], false],
    ["fe80::1%eth0", ["::/0"], false],
    ["192.0.2.7", [], false],
    ["192.0.2.7", ["nonsense", "192.0.2.0"], false],
  ])("%j in %j: %p", (address, networks, expected) => {
    expect(isInNetworks(address, networks)).toBe(expected);
  });
});

/** Numbers near each other, so that addresses often lie in networks. */
const arbitraryIpv4 = fc
  .tuple(fc.constantFrom(10, 192), fc.constantFrom(0, 255), fc.nat(3), fc.nat(255))
  .map((bytes) => bytes.join("."));
const arbitraryIpv6 = fc.oneof(
  fc.ipV6().filter((text) => !/::ffff:|:0*:0*:ffff:/i.test(text)),
  fc.tuple(fc.constantFrom("2001:db8", "2001:db9"), fc.nat(3), fc.nat(0xffff)).map(([a, b, c]) => {
    return `${a}:${b.toString(16)}::${c.toString(16)}`;
  }),
);

describe("being in a network", () => {
  it("agrees with Node's BlockList", () => {
    const oracle = (address: string, network: string, prefix: number, family: "ipv4" | "ipv6") => {
      const list = new BlockList();
      list.addSubnet(network, prefix, family);
      return list.check(address, family);
    };
    fc.assert(
      fc.property(arbitraryIpv4, arbitraryIpv4, fc.nat(32), (address, network, prefix) => {
        expect(isInNetworks(address, [`${network}/${prefix}`])).toBe(oracle(address, network, prefix, "ipv4"));
      }),
      { seed: 20_261_122, numRuns: 500 },
    );
    fc.assert(
      fc.property(arbitraryIpv6, arbitraryIpv6, fc.nat(128), (address, network, prefix) => {
        expect(isInNetworks(address, [`${network}/${prefix}`])).toBe(oracle(address, network, prefix, "ipv6"));
      }),
      { seed: 20_261_123, numRuns: 500 },
    );
  });

  it("is true for an address in its own network of any size, and for a list with one such network", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(32), fc.array(fc.ipV6()), (address, prefix, others) => {
        const networks = others.map((other) => `${other}/128`);
        expect(isCidr(`${address}/${prefix}`)).toBe(true);
        expect(isInNetworks(address, [`${address}/${prefix}`])).toBe(true);
        expect(isInNetworks(address, [...networks, `${address}/${prefix}`])).toBe(true);
        expect(isInNetworks(`::ffff:${address}`, [...networks, `${address}/${prefix}`])).toBe(true);
        expect(isInNetworks(address, [`::ffff:${address}/${96 + prefix}`])).toBe(true);
      }),
      { seed: 20_261_124, numRuns: 300 },
    );
  });

  it("is decided for any text without an error", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: fc.constantFrom(..."0123456789abcf:./%") }), (address, network) => {
        expect(typeof isCidr(network)).toBe("boolean");
        expect(isInNetworks(address, [network])).toBe(false);
      }),
      { seed: 20_261_125, numRuns: 2_000 },
    );
  });
});
