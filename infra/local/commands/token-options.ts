import type { ParseArgsOptionsConfig } from "node:util";

export const ROLES = ["admin", "billing", "member", "guest"];

/** The options that name a caller, for parseArgs: `npm run token` and `npm run ask` share them. */
export const tokenOptions = {
  org: { type: "string" },
  role: { type: "string" },
  user: { type: "string" },
  "expires-in": { type: "string" },
  claim: { type: "string", multiple: true },
} as const satisfies ParseArgsOptionsConfig;

export type TokenOptions = {
  org?: string | undefined;
  role?: string | undefined;
  user?: string | undefined;
  "expires-in"?: string | undefined;
  claim?: string[] | undefined;
};

const parseValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const parseClaim = (text: string): [string, unknown] => {
  const equals = text.indexOf("=");
  if (equals < 1) throw new Error(`--claim ${text}: expected NAME=VALUE`);
  return [text.slice(0, equals), parseValue(text.slice(equals + 1))];
};

const parseSeconds = (text: string): number => {
  if (!/^-?\d+$/.test(text)) throw new Error(`--expires-in ${text}: expected whole seconds`);
  return Number(text);
};

/** A negative number looks like an option to parseArgs unless it is joined to its own. */
export const joinNegative = (args: readonly string[]): string[] => {
  const isNegative = (at: number) => args[at - 1] === "--expires-in" && /^-\d+$/.test(args[at] ?? "");
  return args.flatMap((arg, at) => {
    if (isNegative(at)) return [];
    return isNegative(at + 1) ? [`${arg}=${args[at + 1]}`] : [arg];
  });
};

/** What a role of a token means that the service does not have; undefined for its own roles. */
export const roleWarning = (role: string | undefined): string | undefined =>
  role === undefined || ROLES.includes(role)
    ? undefined
    : `${role} is not a role (${ROLES.join(", ")}): it counts as guest unless ROLE_MAPPING maps it`;

/** The issuer's `POST /token` for these options. @throws Error in one line that names the malformed option. */
export const tokenRequest = ({ org, role, user, "expires-in": expiresIn, claim = [] }: TokenOptions): object => ({
  organizationId: org,
  role,
  userId: user,
  expiresInSeconds: expiresIn === undefined ? undefined : parseSeconds(expiresIn),
  claims: Object.fromEntries(claim.map(parseClaim)),
});
