/** GET /docs/{file}: a script or style sheet of the page /docs. It takes no token. docs/api.md. */
import { wireDocsAssetHandler } from "../../shared/wiring/docs-page.ts";

export const handler = wireDocsAssetHandler();
