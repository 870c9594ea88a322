import { stopSharedCloud } from "./support/shared-cloud.ts";
import { removeTemporaryDirectory } from "./support/temporary-directory.ts";

/** After all tests: stops the processes of global-setup.ts and removes the temporary files of this run. */
const tearDown = async (): Promise<void> => {
  await stopSharedCloud();
  removeTemporaryDirectory();
};

// biome-ignore lint/style/noDefaultExport: jest requires it.
export default tearDown;
