/** `npm run smoke -- <apiUrl>`: checks a deployment from outside. Exit code 0 if all checks hold, 1 if not, 2 for bad usage. */
import { parseArgs } from "node:util";
import { mintToken } from "../local/commands/mint-token.ts";
import { readStackFile } from "../local/commands/stack-file.ts";
import { checks, type Target } from "./checks.ts";
import { Mismatch, NoAnswer } from "./deployment.ts";

const HELP = `Usage: npm run smoke -- [<apiUrl>] [options]

Checks a deployment from outside, as a client sees it. Without <apiUrl> it checks the running local cloud (npm start).

  --issuer URL        the issuer of the deployment; checks its keys, and that forged tokens are refused
  --audience TEXT     the audience of the deployment; needed for the forged token
  --webhook-url URL   the base of the webhook URL (an output of the deployment)
  --origin URL        an origin of the context key allowedOrigins; checks what browsers may call
  --log-group NAME    the log group of a function of a deployment with nodeFlags=report or trim; the AWS CLI reads which
                      flags Lambda's runtime starts Node with
  --help              this text

  SMOKE_TOKEN         environment variable: an access token of a user with an organization. With it the check also
                      creates, lists and deletes one plant, and reads the integration's lists.

Exit code: 0 all checks hold, 1 a check does not hold, 2 the command is wrong. Checks without their input are skipped.
`;

class UsageError extends Error {}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** @throws UsageError unless it is an address over HTTPS, or one of this machine. */
const readUrl = (name: string, text: string): string => {
  const url = URL.parse(text);
  if (url === null) throw new UsageError(`${name}: expected an address such as https://api.example.com, got ${text}`);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname)))
    throw new UsageError(`${name}: expected an https address, got ${text}`);
  return text.replace(/\/$/, "");
};

/** The running local cloud's addresses and a token, where its API is the one to check. */
const localTarget = async (apiUrl: string | undefined): Promise<Partial<Target>> => {
  const stack = readStackFile();
  if (stack?.apiUrl === undefined || (apiUrl !== undefined && apiUrl !== stack.apiUrl)) return {};
  // The file of a local cloud that was killed names an issuer that does not answer.
  const token = await mintToken(stack.issuerUrl, { organizationId: "smoke", userId: "smoke" }).catch(() => undefined);
  if (token === undefined) return {};
  return {
    apiUrl: stack.apiUrl,
    issuer: stack.issuerUrl,
    audience: stack.audience,
    token,
    ...(stack.webhookUrl !== undefined && { webhookUrl: stack.webhookUrl }),
  };
};

const readTarget = async (): Promise<Target | undefined> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      issuer: { type: "string" },
      audience: { type: "string" },
      "webhook-url": { type: "string" },
      origin: { type: "string" },
      "log-group": { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  if (positionals.length > 1) throw new UsageError("expected one address, see --help");
  const given = positionals[0] === undefined ? undefined : readUrl("<apiUrl>", positionals[0]);
  const local = await localTarget(given);
  const apiUrl = given ?? local.apiUrl;
  if (apiUrl === undefined) throw new UsageError("expected the API's address, or a running local cloud (npm start)");
  const { SMOKE_TOKEN: token } = process.env;
  return {
    ...local,
    apiUrl,
    // An issuer's text is compared exactly, with or without a trailing slash.
    ...(values.issuer !== undefined && readUrl("--issuer", values.issuer) !== "" && { issuer: values.issuer }),
    ...(values.audience !== undefined && { audience: values.audience }),
    ...(values["webhook-url"] !== undefined && { webhookUrl: readUrl("--webhook-url", values["webhook-url"]) }),
    ...(values.origin !== undefined && { origin: readUrl("--origin", values.origin) }),
    ...(values["log-group"] !== undefined && { logGroup: values["log-group"] }),
    ...(token !== undefined && token !== "" && { token }),
  };
};

const optionNames = {
  issuer: "--issuer",
  audience: "--audience",
  token: "SMOKE_TOKEN",
  webhookUrl: "--webhook-url",
  origin: "--origin",
  logGroup: "--log-group",
} as const;

type Outcome = "ok" | "FAIL" | "skip";

/** Runs all checks in order and prints a line for each. Returns whether all that ran hold. */
const runChecks = async (target: Target): Promise<boolean> => {
  const counts: Record<Outcome, number> = { ok: 0, FAIL: 0, skip: 0 };
  const report = (outcome: Outcome, title: string, remark: string | undefined) => {
    counts[outcome]++;
    console.log(`${outcome.padEnd(4)}  ${title}${remark === undefined ? "" : `: ${remark}`}`);
  };
  for (const { title, needs = [], overTls = false, run } of checks) {
    const missing: string[] = needs.filter((need) => target[need] === undefined).map((need) => optionNames[need]);
    if (overTls && target.apiUrl.startsWith("http:")) missing.push("an https address");
    if (missing.length > 0) {
      report("skip", title, `needs ${missing.join(" and ")}`);
      continue;
    }
    const start = performance.now();
    try {
      // Each check reads only what it needs, and all of that is there.
      const remark = await run(target as Required<Target>);
      report("ok", title, `${remark === undefined ? "" : `${remark}, `}${Math.round(performance.now() - start)} ms`);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      report("FAIL", title, error.message);
      if (counts.ok === 0 && error instanceof NoAnswer) break;
    }
  }
  console.log(`${target.apiUrl}: ${counts.ok} hold, ${counts.FAIL} do not, ${counts.skip} skipped`);
  return counts.FAIL === 0;
};

try {
  const target = await readTarget();
  if (target === undefined) console.log(HELP);
  else process.exitCode = (await runChecks(target)) ? 0 : 1;
} catch (error) {
  const isUsage = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  if (!(error instanceof UsageError) && !isUsage) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
