/** The texts of networks in requests. Apart from cidr.ts, because only functions that take them need the patterns. */
import * as z from "zod/mini";

const CIDR_EXPECTED = "expected an IPv4 or IPv6 network with its prefix length, such as 192.0.2.0/24 or 2001:db8::/32";

const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = `(?:${BYTE}\\.){3}${BYTE}`;
const GROUP = "[0-9A-Fa-f]{1,4}";
/** The notations of RFC 4291, section 2.2, by the number of groups before `::`. */
const IPV6 = [
  `(?:${GROUP}:){7}(?:${GROUP}|:)`,
  `(?:${GROUP}:){6}(?:${IPV4}|:${GROUP}|:)`,
  ...[5, 4, 3, 2, 1].map(
    (groups) => `(?:${GROUP}:){${groups}}(?:(?::${GROUP}){0,${5 - groups}}:${IPV4}|(?::${GROUP}){1,${7 - groups}}|:)`,
  ),
  `:(?:(?::${GROUP}){0,5}:${IPV4}|(?::${GROUP}){1,7}|:)`,
].join("|");

const CIDR = new RegExp(`^(?:${IPV4}/(?:[12]?[0-9]|3[0-2])|(?:${IPV6})/(?:[1-9]?[0-9]|1[01][0-9]|12[0-8]))$`);

/**
 * IPv4-mapped IPv6 networks of less than 96 bits: they would include addresses that are not IPv4-mapped. Of the texts that
 * CIDR matches, these have zeros, then `ffff`, then 32 bits.
 */
const MAPPED_TOO_SHORT = new RegExp(
  `^(?:[0:]*::(?:0{1,4}:)*[Ff]{4}:(?:${IPV4}|${GROUP}:${GROUP})|(?:0{1,4}:){5}[Ff]{4}:.*)/(?:[1-8]?[0-9]|9[0-5])$`,
);

/** An IPv4 or IPv6 network. */
export const Cidr = z
  .string({ error: CIDR_EXPECTED })
  .check(
    z.regex(CIDR, { error: CIDR_EXPECTED, abort: true }),
    z.refine((text) => !MAPPED_TOO_SHORT.test(text), { error: CIDR_EXPECTED }),
  )
  .register(z.globalRegistry, {
    examples: ["192.0.2.0/24", "2001:db8::/32"],
    override: { not: { pattern: MAPPED_TOO_SHORT.source } },
  });
