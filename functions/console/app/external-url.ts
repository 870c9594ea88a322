/** Addresses outside the console that come from the API, such as the provider's page to grant access. */

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The address if a browser may be sent there: https, or http on this machine, as in the local cloud. Undefined for
 * every other scheme, such as `javascript:`.
 */
export const externalUrl = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, href } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname)) ? href : undefined;
};
