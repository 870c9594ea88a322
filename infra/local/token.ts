/** `npm run --silent token -- --org acme --role admin --user ada`: prints one token of the running local cloud. */
import { parseArgs } from "node:util";
import { failWith } from "./fail-with.ts";
import { mintToken } from "./mint-token.ts";
import { readStackFile } from "./stack-file.ts";

const HELP = `Usage: npm run --silent token -- [options]

Prints one access token of the development issuer; the local cloud must run (npm start).

  --org ID              organization; without it the token has none
  --role ROLE           admin (default), billing, member or guest
  --user ID             user, "developer" by default
  --expires-in SECONDS  3600 by default; negative for a token that has expired
  --claim NAME=VALUE    any other claim, JSON or text; null removes it; may be given more than once
`;

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
const joinNegative = (args: readonly string[]) =>
  args
    .join("\0")
    .replaceAll(/(^|\0)--expires-in\0(-\d+)(?=\0|$)/g, "$1--expires-in=$2")
    .split("\0")
    .filter(Boolean);

const mint = (request: object): Promise<string> => {
  const stack = readStackFile();
  if (stack === undefined) throw new Error("the local cloud does not run: start it with npm start");
  return mintToken(stack.issuerUrl, request);
};

try {
  const { values } = parseArgs({
    args: joinNegative(process.argv.slice(2)),
    options: {
      org: { type: "string" },
      role: { type: "string" },
      user: { type: "string" },
      "expires-in": { type: "string" },
      claim: { type: "string", multiple: true },
      help: { type: "boolean", short: "h" },
    },
  });
  const { org, role, user, "expires-in": expiresIn, claim = [], help } = values;
  const request = {
    ...(org !== undefined && { organizationId: org }),
    ...(role !== undefined && { role }),
    ...(user !== undefined && { userId: user }),
    ...(expiresIn !== undefined && { expiresInSeconds: parseSeconds(expiresIn) }),
    claims: Object.fromEntries(claim.map(parseClaim)),
  };
  console.log(help ? HELP : await mint(request));
} catch (error) {
  failWith(error);
}
