/** `npm start`: builds and synthesises the service and runs it on this machine. */
import { createServer } from "node:http";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";
import { createProgress } from "../../progress.ts";
import type { LocalCloud } from "../cloud/local-cloud.ts";
import { failWith } from "../commands/fail-with.ts";
import { readStackFile, removeStackFile, requireNotRunning, writeStackFile } from "../commands/stack-file.ts";
import { openDataDirectory } from "../data-directory/open-data-directory.ts";
import { requireDynamoDb } from "../dynamodb/engine.ts";
import { listen } from "../http/listen.ts";
import { readSourceFiles } from "../reload/source-files.ts";
import { createTerminal } from "../terminal/terminal.ts";
import { banner } from "./banner.ts";
import { requireCheckoutDirectories } from "./checkout-directories.ts";
import { readStartSettings } from "./start-settings.ts";

const HELP = `Usage: npm start [-- --verbose --provider-rate-limit 25]

Builds the service, synthesises its infrastructure and runs it on this machine until Ctrl+C.

  --verbose, -v      also shows schedules, events, batches and all that functions log
  --provider-rate-limit 25
                     the requests of an account that the simulator admits within a second, all by default

  PORT               port of the API, 3000 by default
  LOCAL_DATA_DIR     where data are kept from one start to the next, .local/data by default
  DYNAMODB_ENDPOINT  a DynamoDB-compatible endpoint to use in place of the embedded engine
  PROVIDER_API_URL   a server with the payment provider's API, in place of the simulator
  PROVIDER_OAUTH_CLIENT_ID, PROVIDER_OAUTH_SECRET
                     the platform's own credentials there, for connecting by OAuth
  PROVIDER_PLATFORM_WEBHOOK_SECRET
                     the secret of the platform's own webhook endpoint there; a JSON list while it is rolled
  PROVIDER_RATE_LIMIT
                     as --provider-rate-limit
  ISSUER_REFRESH_TOKENS
                     keep: the issuer's refresh tokens stay valid when they are used; by default they are replaced
  RELOAD             off: changed functions keep their code until the next start

Settings of the deployment, as its context keys (docs/identity.md has the last three):
  RETENTION_DAYS      days that security events are kept, 90 by default
  SECURITY_LOG_LEVEL  low (default), medium, high or critical: events below it are not recorded
  ALERT_THRESHOLD     high by default: events at or above it raise an alert
  SYNC_INTERVAL_HOURS how often connected organizations are synced, 4 by default
  ORGANIZATION_CLAIM, ROLE_CLAIM
                      the claims with organization and role, org_id and org_role by default
  ROLE_MAPPING        JSON from the issuer's roles to the service's, such as {"org:admin":"admin"}
`;
/** Ctrl+C reaches this process from the terminal and again from npm: only a later signal is a second one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 500;

const root = join(import.meta.dirname, "..", "..", "..");
const { npm_lifecycle_event: npmScript } = process.env;

const start = async ({ isVerbose, rateLimit }: { isVerbose: boolean; rateLimit: string | undefined }) => {
  const options = { "--provider-rate-limit": rateLimit };
  const { context, isReloading, cloud: settings } = readStartSettings(process.env, root, options);
  // Checked before the build, so that the error comes at once.
  requireCheckoutDirectories(root);
  requireNotRunning(readStackFile(), settings.port);
  await (await listen(createServer(), settings.port)).close();
  const openedDirectory = await openDataDirectory(settings.dataDirectory);
  process.once("exit", () => openedDirectory.release());
  await requireDynamoDb(settings.dynamodbEndpoint);

  let cloud: LocalCloud | undefined;
  const { log, observe } = createTerminal({
    isTerminal: process.stdout.isTTY,
    isVerbose,
    now: () => cloud?.now() ?? Date.now(),
    paint: (format, text) => styleText(format, text, { stream: process.stdout }),
    // Unlike the stream, console ignores a reader that has ended.
    writeLine: (line) => console.log(line),
  });
  let reload: { stop(): void } | undefined;
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    console.log("\nStopping …");
    reload?.stop();
    await cloud?.stop();
    removeStackFile();
    process.exit(0);
  };
  let firstSignalAt: number | undefined;
  const onSignal = () => {
    firstSignalAt ??= performance.now();
    // The watchdog ends the remaining processes.
    if (performance.now() - firstSignalAt > SAME_SIGNAL_MS) process.kill(process.pid, "SIGKILL");
    void stop();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
  // npm passes a signal to the shell between it and us, which dies of it and passes nothing on.
  const parent = process.ppid;
  if (npmScript !== undefined) setInterval(() => process.ppid === parent || void stop(), PARENT_CHECK_MS).unref();

  // Loaded only now, because the CDK is slow to load and the errors above must come at once.
  enableCompileCache(join(root, ".cache", "node"));
  const [{ prepareAssembly }, { startLocalCloud }, { connectDemo }, { startReload }] = await Promise.all([
    import("../../prepare-assembly.ts"),
    import("../cloud/local-cloud.ts"),
    import("./connect-demo.ts"),
    import("../reload/reload.ts"),
  ]);
  const step = createProgress();
  const since = readSourceFiles(root);
  const assemblyDirectory = await prepareAssembly(join(root, ".local", "assembly"), context, step);
  cloud = await step("Starting the local cloud", () =>
    startLocalCloud({
      assemblyDirectory,
      openedDirectory,
      mailDirectory: join(root, ".local", "mail"),
      ...settings,
      log,
      observe,
    }),
  );
  const demoOrganization = await connectDemo(cloud).catch((error) =>
    log("local cloud", `the demo organization is not connected: ${error}`),
  );
  console.log(banner(cloud.stack, cloud.model, demoOrganization ?? undefined));
  if (isReloading)
    reload = startReload({
      root,
      since,
      functions: cloud.functions,
      models: cloud.model.functions,
      assemblyDirectory,
      context,
      codeDirectory: join(root, ".local", "reload", String(settings.port)),
      log: (level, message) => log("reload", JSON.stringify({ level, message })),
    });
  // Programs that start us wait for the file, and may then read the banner from the output.
  writeStackFile(cloud.stack);
};

try {
  const {
    help,
    verbose,
    "provider-rate-limit": rateLimit,
  } = parseArgs({
    options: {
      help: { type: "boolean", short: "h" },
      verbose: { type: "boolean", short: "v" },
      "provider-rate-limit": { type: "string" },
    },
  }).values;
  if (help) console.log(HELP);
  else await start({ isVerbose: verbose === true, rateLimit });
} catch (error) {
  failWith(error);
}
