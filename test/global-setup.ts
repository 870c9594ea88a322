import { join } from "node:path";
import { requireCheckoutDirectories } from "../infra/local/checkout-directories.ts";
import { failWith } from "../infra/local/fail-with.ts";
import { prepareAssembly } from "../infra/prepare-assembly.ts";
import { assemblyDirectory } from "./support/assembly.ts";
import { requireChromium, unpackChromium } from "./support/chromium.ts";
import { offerSharedCloud } from "./support/shared-cloud.ts";
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

/**
 * Before all tests: prepares the bundles and the assembly that a deployment would upload, and the browser.
 * Temporary files of this run go to one folder, which global-teardown.ts removes.
 */
const setUp = async (): Promise<void> => {
  await checkBeforeTests();
  makeTemporaryDirectory();
  await offerSharedCloud();
  await Promise.all([prepareAssembly(assemblyDirectory), unpackChromium()]);
};

// biome-ignore lint/style/noDefaultExport: jest requires it.
export default setUp;
