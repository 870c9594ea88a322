/**
 * The networks of an IP allowlist as the user types them: what is wrong in words, and whether they contain an address. The
 * service decides; these rules are the same as the service's, so that a mistake shows before it is sent. Pure.
 */

/** The API accepts at most this many. */
export const MOST_NETWORKS = 100;

/** `bits`: 32 for IPv4, 128 for IPv6. Addresses of a network agree in the first `prefix` bits of `value`. */
type Network = { bits: 32 | 128; value: bigint; prefix: number };

type Address = Pick<Network, "bits" | "value">;

/** IPv4-mapped IPv6 addresses, `::ffff:192.0.2.1`, count as IPv4 addresses: RFC 4291, section 2.5.5.2. */
const MAPPED_PREFIX = 96;
const MAPPED = 0xffffn;

const fromParts = (parts: readonly bigint[], bitsPerPart: bigint): bigint =>
  parts.reduce((value, part) => (value << bitsPerPart) | part, 0n);

const ipv4Parts = (text: string): number[] | undefined => {
  const parts = text.split(".");
  const isIpv4 = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return isIpv4 ? parts.map(Number) : undefined;
};

/** The browser's URL parser knows all notations and writes the address in groups of hexadecimal digits. */
const ipv6Value = (text: string): bigint | undefined => {
  if (!/^[0-9A-Fa-f:.]+$/.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  const [head = "", tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::");
  const groups = (part: string): bigint[] => (part === "" ? [] : part.split(":").map((group) => BigInt(`0x${group}`)));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0n);
  return fromParts([...first, ...zeros, ...last], 16n);
};

const parseAddress = (text: string): Address | undefined => {
  const parts = ipv4Parts(text);
  if (parts !== undefined) return { bits: 32, value: fromParts(parts.map(BigInt), 8n) };
  const value = text.includes(":") ? ipv6Value(text) : undefined;
  return value === undefined ? undefined : { bits: 128, value };
};

const isMapped = ({ bits, value }: Address): boolean => bits === 128 && value >> 32n === MAPPED;

const unmapped = (address: Address): Address =>
  isMapped(address) ? { bits: 32, value: address.value & 0xffff_ffffn } : address;

const addressProblem = (text: string): string => {
  if (text.includes("%")) return "Remove the zone after %. A zone has a meaning on one computer only.";
  if (text.includes(":")) return "This is not an IPv6 address.";
  const parts = text.split(".");
  if (parts.length === 4 && parts.every((part) => /^\d+$/.test(part)))
    return parts.some((part) => /^0\d/.test(part))
      ? "Write the parts of the address without leading zeros."
      : "Each part of an IPv4 address is at most 255.";
  return "This is not an IPv4 or IPv6 address.";
};

/** A network, or what is wrong with the text. */
export const parseNetwork = (text: string): { network: Network } | { problem: string } => {
  const slash = text.indexOf("/");
  const spelled = slash === -1 ? text : text.slice(0, slash);
  const address = parseAddress(spelled);
  if (address === undefined) return { problem: addressProblem(spelled) };
  const { bits } = address;
  if (slash === -1) return { problem: `Add the prefix length: ${text}/${bits} is this address alone.` };
  const digits = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(digits) || Number(digits) > bits)
    return { problem: `After the slash, write a whole number from 0 to ${bits}.` };
  const prefix = Number(digits);
  if (!isMapped(address)) return { network: { ...address, prefix } };
  return prefix < MAPPED_PREFIX
    ? { problem: `Write the IPv4 network itself, or a prefix length of at least ${MAPPED_PREFIX}.` }
    : { network: { ...unmapped(address), prefix: prefix - MAPPED_PREFIX } };
};

/** Whether one of the networks contains an address. Networks that are not valid contain none. */
export const containsAddress = (networks: readonly string[], ipAddress: string): boolean => {
  const spelled = parseAddress(ipAddress);
  if (spelled === undefined) return false;
  const address = unmapped(spelled);
  return networks.some((text) => {
    const parsed = parseNetwork(text);
    if ("problem" in parsed || parsed.network.bits !== address.bits) return false;
    const shift = BigInt(address.bits - parsed.network.prefix);
    return address.value >> shift === parsed.network.value >> shift;
  });
};

/** The network of one address alone; undefined if the text is not an address. */
export const networkOfAddress = (ipAddress: string): string | undefined => {
  const address = parseAddress(ipAddress);
  return address && `${ipAddress}/${address.bits}`;
};

/** `isError`: the list cannot be saved. Otherwise the line is accepted, and may not be what the user meant. */
export type LineNote = { line: number; text: string; isError: boolean; note: string };

/** What there is to say about the editor's lines. Lines are counted from 1. */
export const lineNotes = (text: string): LineNote[] => {
  const firstLines = new Map<string, number>();
  return text.split("\n").flatMap((typed, index) => {
    const [line, one] = [index + 1, typed.trim()];
    if (one === "") return [];
    const say = (note: string, isError: boolean): LineNote[] => [{ line, text: one, isError, note }];
    const parsed = parseNetwork(one);
    if ("problem" in parsed) return say(parsed.problem, true);
    const first = firstLines.get(one);
    firstLines.set(one, first ?? line);
    if (first !== undefined) return say(`The same network is in line ${first}.`, false);
    const { bits, prefix } = parsed.network;
    return prefix === 0 ? say(`This allows every ${bits === 32 ? "IPv4" : "IPv6"} address.`, false) : [];
  });
};
