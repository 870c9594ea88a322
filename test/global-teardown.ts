import { removeTemporaryDirectory } from "./support/temporary-directory.ts";

/** After all tests, unless they ran without global-setup.ts: what they left behind. */
const tearDown = (): void => removeTemporaryDirectory();

// biome-ignore lint/style/noDefaultExport: jest wants it.
export default tearDown;
