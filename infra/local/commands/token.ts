/** `npm run --silent token -- --org acme --role admin --user ada`: prints one token of the running local cloud. */
import { parseArgs } from "node:util";
import { failWith } from "./fail-with.ts";
import { mintToken } from "./mint-token.ts";
import { readStackFile, requireRunning } from "./stack-file.ts";
import { joinNegative, roleWarning, tokenOptions, tokenRequest } from "./token-options.ts";

const HELP = `Usage: npm run --silent token -- [options]

Prints one access token of the development issuer; the local cloud must run (npm start).

  --org ID              organization; without it the token has none
  --role ROLE           admin (default), billing, member or guest
  --user ID             user, "developer" by default
  --expires-in SECONDS  3600 by default; negative for a token that has expired
  --claim NAME=VALUE    any other claim, JSON or text; null removes it; may be given more than once
`;

try {
  const { values } = parseArgs({
    args: joinNegative(process.argv.slice(2)),
    options: { ...tokenOptions, help: { type: "boolean", short: "h" } },
  });
  const request = tokenRequest(values);
  console.log(values.help ? HELP : await mintToken(requireRunning(readStackFile()).issuerUrl, request));
  const warning = values.help ? undefined : roleWarning(values.role);
  if (warning !== undefined) console.error(warning);
} catch (error) {
  failWith(error);
}
