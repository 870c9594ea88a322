/** The attack list: every address and URL that could reach inside, and the neighbours that are allowed. */
import { describe, expect, it } from "@jest/globals";
import {
  checkTargetUrl,
  isAllowedAddress,
  isLoopbackAddress,
  isPublicAddress,
} from "../../../../shared/notifications/sending/public-address.ts";
import { fc } from "../../../support/fixed-seed.ts";

const REFUSED_ADDRESSES: [string, string][] = [
  ["0.0.0.0", "this host"],
  ["0.1.2.3", "this network"],
  ["10.0.0.1", "private"],
  ["10.255.255.255", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.100.100.200", "metadata of Alibaba Cloud"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["168.63.129.16", "Azure's platform"],
  ["169.254.0.1", "link-local"],
  ["169.254.169.254", "metadata of EC2"],
  ["169.254.170.2", "credentials of ECS"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.0.0.1", "protocol assignments"],
  ["192.0.0.192", "metadata of Oracle Cloud"],
  ["192.0.2.1", "documentation"],
  ["192.88.99.1", "relays of 6to4"],
  ["192.168.0.1", "private"],
  ["198.18.0.1", "benchmarking"],
  ["198.19.255.255", "benchmarking"],
  ["198.51.100.1", "documentation"],
  ["203.0.113.1", "documentation"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback, in full"],
  ["::127.0.0.1", "IPv4-compatible"],
  ["::8.8.8.8", "IPv4-compatible, public"],
  ["::ffff:127.0.0.1", "mapped loopback"],
  ["::ffff:7f00:1", "mapped loopback, in groups"],
  ["::ffff:169.254.169.254", "mapped metadata"],
  ["::ffff:8.8.8.8", "mapped, public"],
  ["::ffff:0:10.0.0.1", "translated (RFC 2765)"],
  ["64:ff9b::10.0.0.1", "NAT64"],
  ["64:ff9b:1::1", "local NAT64"],
  ["100::1", "discard"],
  ["2001::1", "Teredo"],
  ["2001:2::1", "benchmarking"],
  ["2001:10::1", "ORCHID"],
  ["2001:20::1", "ORCHIDv2"],
  ["2001:db8::1", "documentation"],
  ["2002:0a00:0001::1", "6to4 of a private address"],
  ["2002:c0a8:0101::", "6to4 of a private address"],
  ["3fff::1", "documentation"],
  ["4000::1", "not allocated"],
  ["5f00::1", "segment routing"],
  ["fc00::1", "unique local"],
  ["fd00:ec2::254", "metadata of EC2"],
  ["fd00:ec2::23", "credentials of EKS"],
  ["fd20:ce::254", "metadata of Google Cloud"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local with a zone"],
  ["2606:4700::1%eth0", "public with a zone"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
  ["", "no address"],
  ["8.8.8", "not four parts"],
  ["010.8.8.8", "an octal part"],
  ["0x8.8.8.8", "a hexadecimal part"],
  ["134744072", "a decimal number"],
  ["8.8.8.8.", "a final dot"],
  ["8.8.8.8/32", "a network"],
];

const ALLOWED_ADDRESSES = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001::1",
  "2600::",
  "2620:fe::fe",
];

describe("isPublicAddress", () => {
  it.each(REFUSED_ADDRESSES)("refuses %s (%s)", (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(ALLOWED_ADDRESSES)("allows %s", (address) => expect(isPublicAddress(address)).toBe(true));

  it("refuses every IPv4 address inside an IPv6 address", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom("::", "::ffff:", "::ffff:0:", "64:ff9b::"), (ipv4, prefix) => {
        expect(isPublicAddress(`${prefix}${ipv4}`)).toBe(false);
      }),
    );
  });

  it("allows loopback to local runs only, and nothing else that is private", () => {
    for (const address of ["127.0.0.1", "127.9.9.9", "::1"]) {
      expect(isLoopbackAddress(address)).toBe(true);
      expect([isAllowedAddress(address, "public"), isAllowedAddress(address, "loopback")]).toEqual([false, true]);
    }
    for (const [address, name] of REFUSED_ADDRESSES.filter(([, name]) => !name.startsWith("loopback")))
      expect([name, isAllowedAddress(address, "loopback")]).toEqual([name, false]);
  });
});

const PUBLIC = { policy: "public", ownHosts: ["abc123.execute-api.eu-central-1.amazonaws.com"] } as const;
const LOCAL = { ...PUBLIC, policy: "loopback" } as const;

const HERE = "must have a host on the public internet";
const INCOMPLETE = "must be a complete URL without spaces and backslashes";

const REFUSED_URLS: [string, string][] = [
  ["http://example.com/", "must begin with https://"],
  ["ftp://example.com/", "must begin with https://"],
  ["file:///etc/passwd", INCOMPLETE],
  ["gopher://example.com/", "must begin with https://"],
  ["javascript:alert(1)", INCOMPLETE],
  ["data:text/html,x", INCOMPLETE],
  ["example.com", INCOMPLETE],
  ["//example.com/", INCOMPLETE],
  ["https:example.com", INCOMPLETE],
  ["https:///example.com", INCOMPLETE],
  ["https:\\\\example.com", INCOMPLETE],
  ["https://example.com\\@127.0.0.1/", INCOMPLETE],
  ["https://exam\nple.com/", INCOMPLETE],
  ["https://example.com/ HTTP/1.1\r\nHost: x", INCOMPLETE],
  ["https://exa\tmple.com/", INCOMPLETE],
  ["https://example.com/\u2028", INCOMPLETE],
  ["https://1.2.3.4.5/", INCOMPLETE],
  ["https://256.1.1.1/", INCOMPLETE],
  ["https://[fe80::1%25eth0]/", INCOMPLETE],
  ["https://example.com:99999/", INCOMPLETE],
  ["https://user@example.com/", "must not contain a user name or a password"],
  ["https://user:secret@example.com/", "must not contain a user name or a password"],
  ["https://:secret@example.com/", "must not contain a user name or a password"],
  ["https://example.com@127.0.0.1/", "must not contain a user name or a password"],
  ["https://127.0.0.1%2f@example.com/", "must not contain a user name or a password"],
  ["https://example.com:25/", "must use port 443, or a port from 1024 on"],
  ["https://example.com:22/", "must use port 443, or a port from 1024 on"],
  ["https://example.com:80/", "must use port 443, or a port from 1024 on"],
  ["https://example.com:0/", "must use port 443, or a port from 1024 on"],
  ["https://example.com:1023/", "must use port 443, or a port from 1024 on"],
  ["https://127.0.0.1/", HERE],
  ["https://127.1/", HERE],
  ["https://127.0.0.1./", HERE],
  ["https://2130706433/", HERE],
  ["https://0x7f000001/", HERE],
  ["https://0x7f.1/", HERE],
  ["https://0177.0.0.1/", HERE],
  ["https://017700000001/", HERE],
  ["https://0/", HERE],
  ["https://１２７.0.0.1/", HERE],
  ["https://①②⑦.0.0.1/", HERE],
  ["https://127。0。0。1/", HERE],
  ["https://127．0．0．1/", HERE],
  ["https://%31%32%37.0.0.1/", HERE],
  ["https://3232235777/", HERE],
  ["https://2852039166/latest/meta-data/", HERE],
  ["https://0xa9.0xfe.0xa9.0xfe/", HERE],
  ["https://0251.0376.0251.0376/", HERE],
  ["https://169.254.169.254/latest/meta-data/", HERE],
  ["https://[::1]/", HERE],
  ["https://[::]/", HERE],
  ["https://[0000:0000:0000:0000:0000:0000:0000:0001]/", HERE],
  ["https://[::ffff:127.0.0.1]/", HERE],
  ["https://[::ffff:a9fe:a9fe]/", HERE],
  ["https://[64:ff9b::a9fe:a9fe]/", HERE],
  ["https://[fd00:ec2::254]/latest/meta-data/", HERE],
  ["https://[fe80::1]/", HERE],
  ["https://localhost/", HERE],
  ["https://LOCALHOST/", HERE],
  ["https://localhost./", HERE],
  ["https://ⓛocalhost/", HERE],
  ["https://app.localhost/", HERE],
  ["https://app.localhost./", HERE],
  ["https://metadata/", HERE],
  ["https://intranet/", HERE],
  ["https://metadata.google.internal/", HERE],
  ["https://instance-data.ec2.internal./", HERE],
  ["https://printer.local/", HERE],
  ["https://nas.lan/", HERE],
  ["https://wiki.corp/", HERE],
  ["https://router.home.arpa/", HERE],
  ["https://example.com../", HERE],
  ["https://a..example.com/", HERE],
  ["https://abc123.execute-api.eu-central-1.amazonaws.com/plants", "must not be an address of this service"],
  ["https://ABC123.execute-api.eu-central-1.amazonaws.com./", "must not be an address of this service"],
  [`https://example.com/${"a".repeat(2_048)}`, "must have at most 2048 characters"],
];

const ALLOWED_URLS: [string, string][] = [
  ["https://example.com", "https://example.com/"],
  ["https://example.com:443/hook?token=a%20b", "https://example.com/hook?token=a%20b"],
  ["https://example.com:8443/", "https://example.com:8443/"],
  ["https://example.com:1024/", "https://example.com:1024/"],
  ["HTTPS://Example.COM./hook", "https://example.com./hook"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://8.8.8.8/", "https://8.8.8.8/"],
  ["https://[2606:4700::1111]:8443/", "https://[2606:4700::1111]:8443/"],
  ["https://localhost.example.com/", "https://localhost.example.com/"],
  ["https://mylocal.example/", "https://mylocal.example/"],
  ["https://127.0.0.1.nip.io/", "https://127.0.0.1.nip.io/"],
  ["https://hooks.slack.com/services/T0/B0/secret", "https://hooks.slack.com/services/T0/B0/secret"],
];

describe("checkTargetUrl", () => {
  it.each(REFUSED_URLS)("refuses %j: %s", (url, problem) => expect(checkTargetUrl(url, PUBLIC)).toEqual({ problem }));
  it.each(ALLOWED_URLS)("allows %s", (url, href) => expect(checkTargetUrl(url, PUBLIC).url?.href).toBe(href));

  it.each([
    ["http://127.0.0.1:9000/hook", true],
    ["http://localhost:9000/", true],
    ["http://[::1]:9000/", true],
    ["https://127.0.0.1:9000/", true],
    ["http://2130706433:9000/", true],
    ["http://example.com/", false],
    ["http://10.0.0.1:9000/", false],
    ["http://[::ffff:127.0.0.1]:9000/", false],
    ["https://169.254.169.254/", false],
    ["https://10.0.0.1/", false],
    ["http://127.0.0.1:25/", false],
    ["http://user@127.0.0.1:9000/", false],
  ])("with loopback allowed, %s: %s", (url, isAllowed) =>
    expect(checkTargetUrl(url, LOCAL).url !== undefined).toBe(isAllowed),
  );

  it("never puts the URL into the problem", () => {
    for (const [url] of REFUSED_URLS) {
      const { problem } = checkTargetUrl(url, PUBLIC);
      for (const part of ["secret", "hook", "meta-data"]) expect(problem).not.toContain(part);
    }
  });
});

describe("the service's own hosts", () => {
  const ownHosts = ["api.example.com", "127.0.0.1:8080", "hooks.example.com:8443"];
  const problemOf = (url: string, policy: "public" | "loopback") => checkTargetUrl(url, { policy, ownHosts }).problem;

  it.each(["https://api.example.com/", "https://API.example.com.:8443/x", "https://hooks.example.com/"])(
    "are refused on every port: %s",
    (url) => {
      for (const policy of ["public", "loopback"] as const)
        expect(problemOf(url, policy)).toBe("must not be an address of this service");
    },
  );

  it("of a local run are refused with their port only, because receivers have the same address", () => {
    expect(problemOf("http://127.0.0.1:8080/hook", "loopback")).toBe("must not be an address of this service");
    expect(problemOf("http://127.0.0.1:8081/hook", "loopback")).toBeUndefined();
  });
});
