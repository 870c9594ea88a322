import { createOpenApiDocument } from "../../shared/api/open-api-document.ts";
import { allRoutes, routes } from "../../shared/api/routes.ts";
import { PLATFORM_WEBHOOK_PATH, WEBHOOK_PATH } from "../../shared/api/webhook-operation.ts";

/** What contract.ts compares answers with. Made once for all files of a run: its modules load for seconds in jest. */
export const createContract = () => ({
  document: createOpenApiDocument(routes),
  table: allRoutes.map(([, { method, path }]) => ({ method, path })),
  webhookPaths: { own: WEBHOOK_PATH, platform: PLATFORM_WEBHOOK_PATH },
});

export type Contract = ReturnType<typeof createContract>;
