/** GET /docs/{file}: a script or style sheet of the page /docs. It takes no token. docs/api.md. */
import { wireAssetHandler } from "../../shared/wiring/pages.ts";

export const handler = wireAssetHandler("getDocsAsset");
