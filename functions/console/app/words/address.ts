/** Addresses: of views with their filters, of pages outside the console, and of requests as a command of a shell. */
import { useLocation } from "preact-iso/router";

/** The address of a view with filters; empty ones are left out. */
export const addressOf = (path: string, filters: Readonly<Record<string, string | undefined>> = {}): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== undefined && value !== "") query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
};

/** The address of one thing below a view. @param id any text, also one that is not well-formed Unicode. */
export const addressBelow = (path: string, id: string): string => `${path}/${encodeURIComponent(id.toWellFormed())}`;

export const alertAddress = (id: string): string => addressBelow("/console/alerts", id);

export const destinationAddress = (id: string): string => addressBelow("/console/notifications", id);

export const eventAddress = (id: string): string => addressBelow("/console/events", id);

/** The page of a user, or of an address that calls came from. */
export const callerAddress = (caller: { userId: string } | { ipAddress: string }): string =>
  "userId" in caller
    ? addressBelow("/console/users", caller.userId)
    : addressBelow("/console/addresses", caller.ipAddress);

/** Whether a view of the menu is open, or something below it. Everything is below the overview. */
export const isWithin = (path: string, view: string): boolean =>
  path === view || (view !== "/console" && path.startsWith(`${view}/`));

/** The attribute `aria-current` of a link. @param isOpen whether it leads to what is shown */
export const currentPage = (isOpen: boolean): "page" | undefined => (isOpen ? "page" : undefined);

/** Whether an address can be decoded. "/console/events/%" cannot. */
export const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

/**
 * The filters of the present address, and how to change some of them; undefined removes one. A view with its filters can be
 * shared, bookmarked and gone back to.
 */
export const useFilters = () => {
  const { path, query, route } = useLocation();
  const filters: Readonly<Record<string, string | undefined>> = query;
  return {
    filters,
    /** @param replace whether the back button skips the present address: for typing, not for choices. */
    set: (changes: Readonly<Record<string, string | undefined>>, { replace = false } = {}) =>
      route(addressOf(path, { ...filters, ...changes }), replace),
  };
};

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

/**
 * A request as a command of a POSIX shell. The token is a variable that the user sets: no real token is copied.
 * @param path the path of the API. Encoded, it and the query have no quotation mark that could end the argument.
 */
export const curlOf = (origin: string, path: string, query: Readonly<Record<string, unknown>> = {}): string => {
  const url = new URL(path, origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const address = url.href.replaceAll("+", "%20").replaceAll("'", "%27");
  return `curl --header "Authorization: Bearer $TOKEN" '${address}'`;
};
