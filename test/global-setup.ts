import { prepareAssembly } from "../infra/prepare-assembly.ts";
import { assemblyDirectory } from "./support/assembly.ts";
import { unpackChromium } from "./support/chromium.ts";
import { offerSharedCloud } from "./support/shared-cloud.ts";
import { makeTemporaryDirectory } from "./support/temporary-directory.ts";

/**
 * Before all tests: prepares the bundles and the assembly that a deployment would upload, and the browser.
 * Temporary files of this run go to one folder, which global-teardown.ts removes.
 */
const setUp = async (): Promise<void> => {
  makeTemporaryDirectory();
  await offerSharedCloud();
  await Promise.all([prepareAssembly(assemblyDirectory), unpackChromium()]);
};

// biome-ignore lint/style/noDefaultExport: jest requires it.
export default setUp;
