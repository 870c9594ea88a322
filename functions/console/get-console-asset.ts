/** GET /console/assets/{file}: a script or style sheet of the console. It takes no token. docs/deployment.md. */
import { wireAssetHandler } from "../../shared/wiring/pages.ts";

export const handler = wireAssetHandler("getConsoleAsset");
