/** `npm run ask -- /plants`: sends one request to the running local cloud and prints the answer for a person. */
import { styleText } from "node:util";
import { failWith } from "./fail-with.ts";
import { runAsk } from "./run-ask.ts";
import { readStackFile } from "./stack-file.ts";

const HELP = `Usage: npm run --silent ask -- [METHOD] PATH [NAME=VALUE …] [BODY] [options]

Sends one request to the running local cloud (npm start) with a new token, and prints the answer.

  METHOD          GET by default, POST if there is a body
  PATH            /plants: from the API's root
                  security: below /api/integrations/provider/
                  control:/clock/advance: another server, without a token (control, issuer, provider, webhook)
  NAME=VALUE      a query parameter; it is encoded for you
  BODY            JSON in single quotes, @FILE, or - for standard input; also -d BODY, --data BODY

  --as ORGANIZATION/ROLE/USER
                  the caller; demo/admin/ada by default, acme stands for acme/admin/ada
  --org ID, --role ROLE, --user ID
                  its parts; the role is admin, billing, member or guest. An empty organization asks for none
  --expires-in SECONDS, --claim NAME=VALUE
                  more about the token, as for npm run token
  --token TOKEN, --no-token
                  a token of your own, or none
  -H, --header 'NAME: VALUE'
                  a header, such as 'Idempotency-Key: 1'; may be given more than once
  -o, --output FILE
                  saves the body; a name that ends with .html asks for HTML
  --pick PATH     prints one value only, such as 0.id, last.id or events.0.timestamp
  --headers       prints all headers
  --pretty, --raw the form for a terminal (status, headers, indented JSON with readable times), or the body alone;
                  the body alone is also what a pipe receives

Ends with 0 for an answer below 400, with 4 for 4xx, 5 for 5xx, and 1 if no request was sent.
`;

// A reader such as head may end before the answer does.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));

try {
  const code = await runAsk(process.argv.slice(2), {
    stack: readStackFile(),
    isTerminal: process.stdout.isTTY === true,
    paint: (format, text) => styleText(format, text, { stream: process.stdout }),
    writeOut: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
  });
  if (code === undefined) console.log(HELP);
  process.exitCode = code ?? 0;
} catch (error) {
  failWith(error);
}
