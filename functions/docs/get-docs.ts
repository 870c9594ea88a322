/** GET /docs: the OpenAPI document as a page where requests can be tried. It takes no token. docs/api.md. */
import { wireDocsHandler } from "../../shared/wiring/pages.ts";

export const handler = wireDocsHandler();
