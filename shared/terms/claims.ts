/** How the tokens of an issuer name organization and role. docs/identity.md has the values for common providers. */
import { type Role, roles } from "./permissions.ts";

/** The payload of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** The deployment's configuration of claims. */
export type ClaimSettings = {
  /** The names or dotted paths of the claims that hold organization and role. */
  organization: string;
  role: string;
  /** From the issuer's roles to the service's. A role that it does not name keeps its name. */
  roleMapping: Readonly<Record<string, unknown>>;
};

const isObject = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The value of the claim with exactly this name, or of the dotted path if no claim has the name. Each step of a path
 * tries the exact name first, so that a path may pass through names with dots.
 * @returns undefined if there is no such claim; null if the path leads through a value that is not an object
 */
export const findClaim = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown;
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const step = name.slice(0, dot);
    if (!Object.hasOwn(claims, step)) continue;
    const inner = claims[step];
    const value = isObject(inner) ? findClaim(inner, name.slice(dot + 1)) : null;
    if (value !== undefined && value !== null) return value;
    // A malformed value stays one, even if a later path leads nowhere.
    if (found === undefined) found = value;
  }
  return found;
};

/** The only element of a list; any other value as it is. */
export const onlyElement = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);

/** The most powerful known role of a claim's value, which is a role or a list of roles; undefined if none is known. */
export const strongestRole = (value: unknown, { roleMapping }: ClaimSettings): Role | undefined => {
  const given = [value].flat().map((role) => {
    const isMapped = typeof role === "string" && Object.hasOwn(roleMapping, role);
    return isMapped ? roleMapping[role] : role;
  });
  return roles.find((role) => given.includes(role));
};
