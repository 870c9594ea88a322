/** IP addresses as numbers, so that every spelling of one is the same. Pure. */
import { isIP } from "node:net";

/** An IPv4 address has 32 bits, an IPv6 address 128. */
export type IpAddress = { bits: 32 | 128; value: bigint };

/** What stands before the 32 bits of an IPv4 address in an IPv6 address that means it (RFC 4291, 2.5.5.2). */
const MAPPED = 0xffffn;

const inBase = (bitsPerPart: bigint, parts: readonly bigint[]): bigint =>
  parts.reduce((value, part) => (value << bitsPerPart) | part, 0n);

const valueOfIpv4 = (text: string): bigint => inBase(8n, text.split(".").map(BigInt));

/** The 16-bit groups of a part of an IPv6 address; the last 32 bits may be spelled as an IPv4 address. */
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

/** An address as it is spelled. Undefined for what is none, and for one with a zone, which means nothing elsewhere. */
export const parseIpAddress = (text: string): IpAddress | undefined => {
  const version = isIP(text);
  if (version === 4) return { bits: 32, value: valueOfIpv4(text) };
  return version === 0 || text.includes("%") ? undefined : { bits: 128, value: valueOfIpv6(text) };
};

/** Whether an IPv6 address is only another way to say an IPv4 address: `::ffff:192.0.2.1`, in any spelling. */
export const isMapped = ({ bits, value }: IpAddress): boolean => bits === 128 && value >> 32n === MAPPED;

/** The IPv4 address that a mapped one means; any other as it is. */
export const unmapped = (address: IpAddress): IpAddress =>
  isMapped(address) ? { bits: 32, value: address.value & 0xffff_ffffn } : address;
