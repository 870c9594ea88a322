import { isDeep } from "./support/depth.ts";
import { stopSharedBrowser } from "./support/shared-browser.ts";
import { stopSharedCloud } from "./support/shared-cloud.ts";
import { stopShared } from "./support/shared-server.ts";
import { removeTemporaryDirectory } from "./support/temporary-directory.ts";
import { deleteTestTables } from "./support/test-dynamodb.ts";
import { renderTrials } from "./support/trials.ts";

/**
 * After all tests: stops the processes of global-setup.ts and removes the temporary files of this run. After the deep
 * tests, prints what they tried.
 */
const tearDown = async (): Promise<void> => {
  await stopShared();
  await stopSharedBrowser();
  await stopSharedCloud();
  await deleteTestTables();
  const trials = isDeep ? renderTrials() : undefined;
  if (trials !== undefined) console.log(`\n${trials}\n`);
  removeTemporaryDirectory();
};

// biome-ignore lint/style/noDefaultExport: jest requires it.
export default tearDown;
