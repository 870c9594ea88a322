/**
 * The alerts about an organization's stored key. The connection's item says which of them were raised for which key, so
 * each is raised once for a key, also after an administrator has resolved it.
 */
import type { ProviderSetup } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ResolveCause } from "../security/alerts/alert-resolver.ts";
import { type Finding, KEY_RULE } from "../security/alerts/finding.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { findingOfKey, type KeyAlerts, type KeyWarning, type StoredKey, warningsOf } from "./key.ts";
import type { KeyStore } from "./key-store.ts";

type Settled = { raise: KeyWarning[]; resolve: readonly KeyWarning[]; alerts: KeyAlerts | undefined };

/** What the present key needs. @param now epoch ms. */
const settle = (key: StoredKey | undefined, alerts: KeyAlerts | undefined, now: number): Settled => {
  const wanted = key === undefined ? [] : warningsOf(key, now);
  const isSame = alerts !== undefined && alerts.of === key?.digest;
  const raised = isSame ? alerts.raised : [];
  const raise = wanted.filter((warning) => !raised.includes(warning));
  const { digest: of } = key ?? {};
  return {
    raise,
    resolve: isSame ? [] : (alerts?.raised ?? []),
    alerts: of === undefined || raised.length + raise.length === 0 ? undefined : { of, raised: [...raised, ...raise] },
  };
};

/** Whether an alert is missing. @param now epoch ms. */
export const lacksKeyAlert = (key: StoredKey, alerts: KeyAlerts | undefined, now: number): boolean =>
  settle(key, alerts, now).raise.length > 0;

/** Concurrent connects of one organization are rare. */
const MAX_ATTEMPTS = 4;

type Dependencies = {
  connections: Pick<ConnectionStore, "read">;
  keys: Pick<KeyStore, "noteAlerts">;
  setup: Pick<ProviderSetup, "keyPermissions" | "provider">;
  raise(organizationId: string, finding: Finding): Promise<void>;
  now: Clock;
};

/**
 * Raises the alerts that the stored key lacks, and resolves those of a key that was replaced or removed. Repeatable; one
 * read unit if there is nothing to do.
 * @param resolve undefined in functions that never replace a key.
 * @throws DomainError `store_unavailable`.
 */
export const createSettleKeyAlerts =
  ({ connections, keys, setup, raise, now }: Dependencies, resolve?: ResolveCause) =>
  async (organizationId: string): Promise<void> => {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const stored = await connections.read(organizationId);
      // Credentials that the provider rejected are replaced by the next connect.
      if (stored.status === "needs_reconnect") return;
      const key = stored.status === "connected" ? stored.key : undefined;
      const due = settle(key, stored.keyAlerts, now());
      if (due.raise.length + due.resolve.length === 0) return;
      for (const subject of due.resolve) await resolve?.(organizationId, { kind: "finding", rule: KEY_RULE, subject });
      if (key !== undefined)
        for (const warning of due.raise) await raise(organizationId, findingOfKey(warning, key, setup, now()));
      if (await keys.noteAlerts(organizationId, { key, before: stored.keyAlerts, after: due.alerts })) return;
    }
  };
