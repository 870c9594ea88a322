import { join } from "node:path";
import { failWith } from "../infra/local/commands/fail-with.ts";
import { requireCheckoutDirectories } from "../infra/local/start/checkout-directories.ts";
import { prepareAssembly } from "../infra/prepare-assembly.ts";
import { assemblyDirectory } from "./support/assembly.ts";
import { requireChromium } from "./support/chromium.ts";
import { productionContext } from "./support/production-assembly.ts";
import { browserAnswers } from "./support/shared-browser.ts";
import { cloudAnswers } from "./support/shared-cloud.ts";
import { offerShared } from "./support/shared-server.ts";
import { makeTemporaryDirectory } from "./support/temporary-directory.ts";
import { offerDynamoDb } from "./support/test-dynamodb.ts";
import { checkTestEnvironment } from "./support/test-environment.ts";

/** Ends the run with one sentence if something is missing that a test would need. */
const checkBeforeTests = async (): Promise<void> => {
  try {
    checkTestEnvironment();
    requireCheckoutDirectories(join(import.meta.dirname, ".."));
    requireChromium();
    await offerDynamoDb();
  } catch (error) {
    failWith(error);
  }
};

let assembly: Promise<string> | undefined;
let production: Promise<string> | undefined;

const synthesiseProduction = async (): Promise<string> => {
  await assemblyAnswers.assembly();
  const { synthesiseWith } = await import("./support/synthesise-with.ts");
  return synthesiseWith("production", productionContext);
};

/** The bundles and the assembly that a deployment would upload, that of production, and the contract. */
const assemblyAnswers = {
  assembly: () => {
    assembly ??= prepareAssembly(assemblyDirectory);
    return assembly;
  },
  /** What answers are compared with (contract.ts). */
  contract: async () => (await import("./support/contract-document.ts")).createContract(),
  production: () => {
    production ??= synthesiseProduction();
    return production;
  },
};

/**
 * Before all tests: offers what test files share. Each part starts when the first file asks for it.
 * Temporary files of this run go to one folder, which global-teardown.ts removes.
 */
const setUp = async (): Promise<void> => {
  await checkBeforeTests();
  makeTemporaryDirectory();
  await offerShared({ ...assemblyAnswers, ...cloudAnswers, ...browserAnswers });
};

// biome-ignore lint/style/noDefaultExport: jest requires it.
export default setUp;
