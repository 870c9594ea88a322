/** GET /api/integrations/provider/money: what the provider's events of each day say about money. Decisions: docs/money.md. */
import { recordRoutes } from "../../shared/api/record-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { DEFAULT_DAYS } from "../../shared/money/money-day.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireReadMoney } from "../../shared/wiring/money.ts";
import { wireDataReads } from "../../shared/wiring/security.ts";

const readMoney = wireReadMoney();
const reads = wireDataReads();

export const handler = createHandler(
  recordRoutes.getMoney,
  async ({ caller, origin, query: { days = DEFAULT_DAYS } }) => {
    const rows = await readMoney(caller.organizationId, days);
    await reads.record({ caller, origin, kind: "money", resourceType: "payment" });
    return rows;
  },
  wireHandler(recordRoutes.getMoney),
);
