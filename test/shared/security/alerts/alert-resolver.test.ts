import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { ChangedAlert } from "../../../../shared/security/alerts/alert.ts";
import { createResolveCause } from "../../../../shared/security/alerts/alert-resolver.ts";
import { type AlertStores, listAll, NOON, reasonAt, startAlertTable } from "../../../support/alerts.ts";

let table: Awaited<ReturnType<typeof startAlertTable>>;
let alerts: AlertStores;
const published: ChangedAlert[] = [];
const cause = { kind: "finding", rule: "rule", subject: "thing" } as const;

beforeAll(async () => {
  table = await startAlertTable();
  alerts = table.stores();
});
afterAll(() => table.stop());

const resolveCause = (organization: string) =>
  createResolveCause({
    alerts,
    publisher: {
      publish: async (changes) => {
        published.push(...changes);
        return [];
      },
    },
    now: () => NOON + 7_000,
  })(organization, cause);

it("resolves the alert of the cause only, names nobody, and publishes it once", async () => {
  const raise = (organization: string, changes: object) =>
    alerts.raise(organization, reasonAt(NOON, { ...cause, ...changes }), NOON);
  const { alert } = await raise("acme", {});
  const others = [
    await raise("acme", { subject: "another" }),
    await raise("acme", { kind: "event" }),
    await raise("globex", {}),
  ];
  await resolveCause("acme");
  await resolveCause("acme");
  const [resolved] = await listAll(alerts, "acme", { status: "resolved" });
  expect(resolved).toMatchObject({ id: alert.id, status: "resolved", resolvedAt: NOON + 7_000, revision: 2 });
  expect(resolved).not.toHaveProperty("resolvedBy");
  expect(published).toEqual([{ organizationId: "acme", alert: resolved, change: "resolved", at: NOON + 7_000 }]);
  const open = [...(await listAll(alerts, "acme", { status: "open" })), ...(await listAll(alerts, "globex"))];
  expect(new Set(open.map(({ id }) => id))).toEqual(new Set(others.map(({ alert: { id } }) => id)));
});
