/** The state from which every cell of the matrices starts: one organization that has used everything. */

import { EVENT_SOURCE } from "../../shared/terms/event-source.ts";
import type { FaultBench, Lane } from "./lanes.ts";
import { type Setting, succeed, type World } from "./setting.ts";

const ORGANIZATION = "acme";
const DAY_MS = 86_400_000;

/** Makes the world in a lane with empty tables. */
export const makeWorld = async (bench: FaultBench, lane: Lane): Promise<World> => {
  const token = await bench.mint({ organizationId: ORGANIZATION, role: "admin", userId: "ada" });
  const account = await bench.control<{ accountId: string; apiKey: string }>("POST /provider/accounts", { objects: 6 });
  const world = {
    token,
    accountId: account.accountId,
    apiKey: account.apiKey,
    webhookSecret: "whsec_of_this_year",
    alertId: "",
    eventIds: [] as string[],
    reportId: "",
    exportId: "",
    previewId: "",
    drillId: "",
  };
  const setting: Setting = { bench, lane, world };
  const call = async (method: string, path: string, body?: object) =>
    (await succeed(setting, { method, target: `/api/integrations/provider${path}`, ...(body && { body }) })).body;
  /** Runs what the published events start. */
  const deliver = async () => {
    const deliveries = lane.deliveries();
    lane.forgetEvents();
    for (const { name, payload } of deliveries) {
      const result = await lane.invoke(name, payload);
      if (!result.ok) throw new Error(`${name}: ${result.error.errorMessage}`);
    }
  };

  await call("PUT", "/connection", { method: "api_key", apiKey: world.apiKey, webhookSecret: world.webhookSecret });
  await deliver();
  for (const id of [1, 2, 3]) {
    await succeed(setting, { method: "POST", target: "/plants", body: { id, name: `Plant ${id}` } });
  }
  const generated = await call("POST", "/security/alert", { action: "generate_alert", title: "A", riskLevel: "HIGH" });
  world.alertId = (generated as { alert: { id: string } }).alert.id;
  await call("POST", "/erasure", { scope: "user", userId: "bob" });
  await deliver();
  world.exportId = ((await call("POST", "/security/exports", { format: "ndjson" })) as { id: string }).id;
  await deliver();
  const previewed = { days: 1, rule: { rule: "permission_escalation", enabled: false } };
  world.previewId = ((await call("POST", "/detection/previews", previewed)) as { id: string }).id;
  await deliver();
  world.drillId = ((await call("POST", "/security/drill", {})) as { id: string }).id;
  await deliver();
  const { events } = (await call("GET", "/security?limit=3")) as { events: { id: string }[] };
  world.eventIds = events.map(({ id }) => id);
  const from = Math.floor(bench.now() / DAY_MS) * DAY_MS;
  lane.setClock(2 * DAY_MS);
  const detail = { version: 1, organizationId: ORGANIZATION, kind: "compliance", from };
  const origin = { source: EVENT_SOURCE, "detail-type": "ReportDue" };
  const event = { ...origin, id: "due", time: new Date().toISOString(), detail };
  const made = await lane.invoke("make-reports", event);
  lane.setClock(0);
  if (!made.ok) throw new Error(`make-reports: ${made.error.errorMessage}`);
  const [report] = (await call("GET", "/reports")) as { id: string }[];
  world.reportId = report?.id ?? "";
  await lane.freshInstances();
  lane.forgetEvents();
  return world;
};
