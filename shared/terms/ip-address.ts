/** IP addresses as numbers, so that all notations of an address are equal, and the network that a flood comes from. Pure. */
import { isIP } from "node:net";

/** An IPv4 address has 32 bits, an IPv6 address 128. */
export type IpAddress = { bits: 32 | 128; value: bigint };

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
export const parseIpAddress = (text: string): IpAddress | undefined => {
  const version = isIP(text);
  if (version === 4) return { bits: 32, value: valueOfIpv4(text) };
  return version === 0 || text.includes("%") ? undefined : { bits: 128, value: valueOfIpv6(text) };
};

/** Whether an address is an IPv4-mapped IPv6 address: `::ffff:192.0.2.1`, in any notation. */
export const isMapped = ({ bits, value }: IpAddress): boolean => bits === 128 && value >> 32n === MAPPED;

/** The IPv4 address of an IPv4-mapped address; any other address unchanged. */
export const unmapped = (address: IpAddress): IpAddress =>
  isMapped(address) ? { bits: 32, value: address.value & 0xffff_ffffn } : address;

/** The parts of a number, the first part first. */
const partsOf = (value: bigint, count: number, bitsPerPart: bigint): bigint[] =>
  Array.from({ length: count }, (_, index) => {
    const shift = BigInt(count - 1 - index) * bitsPerPart;
    return (value >> shift) & ((1n << bitsPerPart) - 1n);
  });

/**
 * The network whose refusals are counted together: an IPv4 address, or the /64 of an IPv6 address (`2001:db8:0:1::/64`),
 * in which one customer of a provider may choose any address (RFC 6177, https://www.rfc-editor.org/rfc/rfc6177).
 * A text that is not an address stays as it is.
 */
export const networkOf = (text: string): string => {
  const address = parseIpAddress(text);
  if (address === undefined) return text;
  const { bits, value } = unmapped(address);
  if (bits === 32) return partsOf(value, 4, 8n).join(".");
  const groups = partsOf(value >> 64n, 4, 16n).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
};
