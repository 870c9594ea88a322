/** IP addresses as numbers, so that all notations of an address are equal, and the networks of IP allowlists. Pure. */
import { isIP } from "node:net";
import * as z from "zod/mini";

/** An IPv4 address has 32 bits, an IPv6 address 128. */
type IpAddress = { bits: 32 | 128; value: bigint };

/** The bits before the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2). */
const MAPPED = 0xffffn;

const inBase = (bitsPerPart: bigint, parts: readonly bigint[]): bigint =>
  parts.reduce((value, part) => (value << bitsPerPart) | part, 0n);

const valueOfIpv4 = (text: string): bigint => inBase(8n, text.split(".").map(BigInt));

/** The 16-bit groups of a part of an IPv6 address. The last 32 bits may be written as an IPv4 address. */
const groupsOf = (text: string): bigint[] =>
  text === ""
    ? []
    : text.split(":").flatMap((group) => {
        if (!group.includes(".")) return [BigInt(`0x${group}`)];
        const value = valueOfIpv4(group);
        return [value >> 16n, value & 0xffffn];
      });

const valueOfIpv6 = (text: string): bigint => {
  const [head = "", tail = ""] = text.split("::");
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  return inBase(16n, [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0n), ...last]);
};

/** Undefined if the text is not an address, or has a zone, which has a meaning on one machine only. */
const parseIpAddress = (text: string): IpAddress | undefined => {
  const version = isIP(text);
  if (version === 4) return { bits: 32, value: valueOfIpv4(text) };
  return version === 0 || text.includes("%") ? undefined : { bits: 128, value: valueOfIpv6(text) };
};

/** Whether an address is an IPv4-mapped IPv6 address: `::ffff:192.0.2.1`, in any notation. */
const isMapped = ({ bits, value }: IpAddress): boolean => bits === 128 && value >> 32n === MAPPED;

/** The IPv4 address of an IPv4-mapped address; any other address unchanged. */
const unmapped = (address: IpAddress): IpAddress =>
  isMapped(address) ? { bits: 32, value: address.value & 0xffff_ffffn } : address;

const CIDR = /^([0-9A-Fa-f:.]{2,45})\/(0|[1-9][0-9]{0,2})$/;
const EXPECTED = "expected an IPv4 or IPv6 network with its prefix length, such as 192.0.2.0/24 or 2001:db8::/32";

/** The number of bits before the IPv4 address in an IPv4-mapped IPv6 address. */
const MAPPED_PREFIX = 96;

/** An address, and the number of leading bits that all addresses of the network share. */
type Network = IpAddress & { prefix: number };

const parseCidr = (text: string): Network | undefined => {
  const [, spelled = "", digits] = CIDR.exec(text) ?? [];
  const address = parseIpAddress(spelled);
  const prefix = Number(digits);
  if (address === undefined || prefix > address.bits) return undefined;
  if (!isMapped(address)) return { ...address, prefix };
  // A shorter prefix would include addresses that are not IPv4-mapped.
  return prefix < MAPPED_PREFIX ? undefined : { ...unmapped(address), prefix: prefix - MAPPED_PREFIX };
};

export const Cidr = z
  .string({ error: EXPECTED })
  .check(z.refine((text) => parseCidr(text) !== undefined, { error: EXPECTED }))
  .register(z.globalRegistry, { examples: ["192.0.2.0/24", "2001:db8::/32"] });

/** Whether an address is in one of the networks. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export const isInNetworks = (ipAddress: string, cidrs: readonly string[]): boolean => {
  const spelled = parseIpAddress(ipAddress);
  if (spelled === undefined) return false;
  const { bits, value } = unmapped(spelled);
  return cidrs.some((cidr) => {
    const network = parseCidr(cidr);
    if (network === undefined || network.bits !== bits) return false;
    const shift = BigInt(bits - network.prefix);
    return value >> shift === network.value >> shift;
  });
};
