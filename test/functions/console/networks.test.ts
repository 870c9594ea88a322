import { describe, expect, it } from "@jest/globals";
import {
  containsAddress,
  lineNotes,
  networkOfAddress,
  parseNetwork,
} from "../../../functions/console/app/views/settings/networks.ts";
import { linesOf } from "../../../functions/console/app/words/lines.ts";
import { isInNetworks } from "../../../shared/terms/cidr.ts";
import { Cidr } from "../../../shared/terms/cidr-text.ts";
import { fc } from "../../support/fixed-seed.ts";

const isAccepted = (text: string) => "network" in parseNetwork(text);

const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4Extended(),
  fc.ipV4().map((ip) => `::ffff:${ip}`),
  fc.stringMatching(/^[0-9a-fA-F:.%]{0,24}$/),
);
const prefix = fc.oneof(fc.integer({ min: 0, max: 140 }).map(String), fc.stringMatching(/^[0-9]{0,4}$/));
const cidr = fc.tuple(address, prefix).map(([ip, length]) => `${ip}/${length}`);

describe("the rules of the allowlist in the console", () => {
  it("accept a network if and only if the service does", () => {
    fc.assert(
      fc.property(cidr, (text) => {
        expect([text, isAccepted(text)]).toEqual([text, Cidr.safeParse(text).success]);
      }),
      { numRuns: 800 },
    );
    for (const text of [
      "",
      "/",
      "192.0.2.0",
      "192.0.2.0/08",
      "::1%eth0/64",
      "[::1]/128",
      "1.1.1.１/8",
      "::ffff:0:0/95",
    ])
      expect([text, isAccepted(text)]).toEqual([text, false]);
    for (const text of ["0.0.0.0/0", "::/0", "2001:DB8::/32", "64:ff9b::192.0.2.7/128", "::ffff:0:0/96"])
      expect([text, isAccepted(text)]).toEqual([text, true]);
  });

  it("contain an address if and only if the service lets it in", () => {
    const network = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, length]) => `${ip}/${length}`),
      fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([ip, length]) => `${ip}/${length}`),
      fc.tuple(fc.ipV4(), fc.integer({ min: 96, max: 128 })).map(([ip, length]) => `::ffff:${ip}/${length}`),
    );
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.array(network, { maxLength: 4 }), (caller, list) => {
        // The network of the address itself, wide or narrow, makes hits likely.
        const near = list.map((text) => text.replace(/^[^/]*/, caller));
        for (const networks of [list, near])
          expect(containsAddress(networks, caller)).toBe(isInNetworks(caller, networks));
      }),
      { numRuns: 300 },
    );
    expect(containsAddress(["192.0.2.0/24"], "::ffff:192.0.2.9")).toBe(true);
    expect(containsAddress(["192.0.2.0/24"], "not an address")).toBe(false);
  });

  it("offer the network of an address alone", () => {
    expect(networkOfAddress("192.0.2.7")).toBe("192.0.2.7/32");
    expect(networkOfAddress("2001:db8::7")).toBe("2001:db8::7/128");
    expect(networkOfAddress("unknown")).toBeUndefined();
  });

  it("say for each line what is wrong, and how to write it", () => {
    const text = [
      "192.0.2.0/24",
      "",
      " 2001:db8::/32 ",
      "192.0.2.7",
      "192.0.2.0/33",
      "192.0.300.0/24",
      "192.0.02.0/24",
      "fe80::1%eth0/64",
      "hello",
      "2001:db8::zz/64",
      "192.0.2.0/24",
      "0.0.0.0/0",
      "::ffff:192.0.2.0/24",
    ].join("\n");
    expect(linesOf(text)).toHaveLength(12);
    expect(lineNotes(text).map(({ line, isError, note }) => [line, isError, note])).toEqual([
      [4, true, "Add the prefix length: 192.0.2.7/32 is this address alone."],
      [5, true, "After the slash, write a whole number from 0 to 32."],
      [6, true, "Each part of an IPv4 address is at most 255."],
      [7, true, "Write the parts of the address without leading zeros."],
      [8, true, "Remove the zone after %. A zone has a meaning on one computer only."],
      [9, true, "This is not an IPv4 or IPv6 address."],
      [10, true, "This is not an IPv6 address."],
      [11, false, "The same network is in line 1."],
      [12, false, "This allows every IPv4 address."],
      [13, true, "Write the IPv4 network itself, or a prefix length of at least 96."],
    ]);
  });
});
