/** GET /openapi.json: the OpenAPI document of the API. It takes no token (docs/decisions.md, "Endpoints"). */
import { createOpenApiDocument } from "../../shared/api/open-api-document.ts";
import { routes } from "../../shared/api/routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireClientLocator } from "../../shared/wiring/client-address.ts";

const document = { ...createOpenApiDocument(routes) };

export const handler = createHandler(routes.getOpenApiDocument, async () => document, wireClientLocator());
