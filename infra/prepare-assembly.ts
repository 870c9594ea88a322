import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasMultiRegionKey } from "./backup-context.ts";
import { build } from "./build.ts";
import { CONSOLE_CLIENT_ID } from "./console-client.ts";
import { hashInputs } from "./input-hash.ts";
import type { Step } from "./progress.ts";
import baseline from "./stateful-resources.json" with { type: "json" };

const root = join(import.meta.dirname, "..");

const secretArn = (name: string) => `arn:aws:secretsmanager:eu-central-1:000000000000:secret:${name}-AbCdEf`;

/**
 * The local cloud has the page /docs, the console with a client at the development issuer, and the platform's secrets, so that
 * roles contain the rights to read them. It has the values of the secrets, and replaces the provider's client
 * (local/control/control-platform.ts).
 */
const LOCAL_CONTEXT = {
  siemFeed: "true",
  archiveMonths: "13",
  apiDocs: "true",
  consoleClientId: CONSOLE_CLIENT_ID,
  emailSender: "alerts@plant-store.example",
  notificationTargets: "loopback",
  providerOauthClientId: "local",
  providerOauthSecretArn: secretArn("provider-oauth"),
  platformWebhookSecretArn: secretArn("platform-webhooks"),
  // The tests compare the local assembly with the baseline.
  multiRegionKey: String(hasMultiRegionKey(baseline)),
};

/** The context of an assembly for the local cloud. */
export const localContext = (context: Readonly<Record<string, string>>) => ({ ...LOCAL_CONTEXT, ...context });

/** A file in an assembly's directory: the hash of the assembly's inputs. */
const HASH_FILE = "inputs.sha256";

/** The manifest and the templates. They identify assets by content hashes, so equal texts mean equal assemblies. */
const textsOf = (directory: string): string =>
  JSON.stringify(
    globSync("*.json", { cwd: directory })
      .sort()
      .map((file) => [file, readFileSync(join(directory, file), "utf8")]),
  );

/**
 * Synthesises into a directory, unless the directory holds the assembly of the same inputs and options.
 * An equal assembly is never replaced: another process may be running it.
 */
export const reuseAssembly = async (
  directory: string,
  options: unknown,
  synthesise: (outputDirectory: string) => Promise<unknown>,
): Promise<string> => {
  const hashFile = join(directory, HASH_FILE);
  const hash = hashInputs(root, options);
  if (existsSync(hashFile) && readFileSync(hashFile, "utf8") === hash) return directory;
  mkdirSync(dirname(directory), { recursive: true });
  const made = join(mkdtempSync(`${directory}-`), basename(directory));
  try {
    await synthesise(made);
    if (!existsSync(directory) || textsOf(made) !== textsOf(directory)) {
      rmSync(directory, { recursive: true, force: true });
      renameSync(made, directory);
    }
    writeFileSync(hashFile, hash);
  } finally {
    rmSync(dirname(made), { recursive: true, force: true });
  }
  return directory;
};

/**
 * Builds the service and synthesises it for the local cloud into a directory, both only if their inputs changed.
 * @param context see config.ts; the local cloud's own platform is added
 * @param step runs the slow steps, and may report them
 */
export const prepareAssembly = async (
  directory: string,
  context: Readonly<Record<string, string>> = {},
  step: Step = (_, work) => work(),
): Promise<string> => {
  await step("Building the functions", build);
  const local = localContext(context);
  return reuseAssembly(directory, { context: local }, (outputDirectory) =>
    step("Synthesising the infrastructure", async () => {
      // Imported here, because loading the CDK takes longer than all other work.
      const { synthesise } = await import("./synth.ts");
      return synthesise(outputDirectory, local);
    }),
  );
};
