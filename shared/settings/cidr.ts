/** Networks, as an IP allowlist names them. Pure. */
import { BlockList, isIP } from "node:net";
import * as z from "zod/mini";

const CIDR = /^([0-9A-Fa-f:.]{2,45})\/(0|[1-9][0-9]{0,2})$/;
/** How an IPv6 address says an IPv4 one: `::ffff:192.0.2.1`. */
const MAPPED = /^::ffff:(?=\d+\.)/i;
const EXPECTED = "expected an IPv4 or IPv6 network with its prefix length, such as 192.0.2.0/24 or 2001:db8::/32";

type Network = { address: string; prefix: number; family: "ipv4" | "ipv6" };

const parseCidr = (text: string): Network | undefined => {
  const [, address = "", digits] = CIDR.exec(text) ?? [];
  const version = isIP(address);
  const prefix = Number(digits);
  if (version === 0 || prefix > (version === 4 ? 32 : 128)) return undefined;
  if (MAPPED.test(address)) {
    // A shorter prefix would reach beyond what stands for IPv4 addresses.
    return prefix < 96 ? undefined : { address: address.replace(MAPPED, ""), prefix: prefix - 96, family: "ipv4" };
  }
  return { address, prefix, family: version === 4 ? "ipv4" : "ipv6" };
};

export const Cidr = z
  .string({ error: EXPECTED })
  .check(z.refine((text) => parseCidr(text) !== undefined, { error: EXPECTED }))
  .register(z.globalRegistry, { examples: ["192.0.2.0/24", "2001:db8::/32"] });

/** Whether an address lies in one of the networks. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export const isInNetworks = (ipAddress: string, cidrs: readonly string[]): boolean => {
  const networks = new BlockList();
  for (const cidr of cidrs) {
    const network = parseCidr(cidr);
    if (network !== undefined) networks.addSubnet(network.address, network.prefix, network.family);
  }
  const address = ipAddress.replace(MAPPED, "");
  const version = isIP(address);
  return version !== 0 && networks.check(address, version === 4 ? "ipv4" : "ipv6");
};
