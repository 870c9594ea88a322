/**
 * The alerts about an organization's stored key. The connection's item says which of them were raised for which key, so
 * each is raised once for a key, also after an administrator has resolved it.
 */
import type { ProviderSetup } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ResolveCause } from "../security/alerts/alert-resolver.ts";
import { KEY_RULE } from "../security/alerts/finding.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { findingOfKey, type KeyAlerts, type KeyWarning, type StoredKey, warningsOf } from "./key.ts";
import type { KeyStore } from "./key-store.ts";

type Due = { raise: KeyWarning[]; resolve: readonly KeyWarning[]; raised: readonly KeyWarning[] };

/** What the present key needs, and what was raised for it. @param now epoch ms. */
const dueFor = (key: StoredKey | undefined, alerts: KeyAlerts | undefined, now: number): Due => {
  const wanted = key === undefined ? [] : warningsOf(key, now);
  const isSame = alerts !== undefined && alerts.of === key?.digest;
  const raised = isSame ? alerts.raised : [];
  return {
    raise: wanted.filter((warning) => !raised.includes(warning)),
    resolve: isSame ? [] : (alerts?.raised ?? []),
    raised,
  };
};

/** Whether an alert is missing. @param now epoch ms. */
export const lacksKeyAlert = (key: StoredKey, alerts: KeyAlerts | undefined, now: number): boolean =>
  dueFor(key, alerts, now).raise.length > 0;

/** Concurrent connects of one organization are rare. */
const MAX_ATTEMPTS = 4;

type Dependencies = {
  connections: Pick<ConnectionStore, "read">;
  keys: Pick<KeyStore, "noteAlerts">;
  setup: Pick<ProviderSetup, "keyPermissions" | "provider">;
  /** False if the organization has switched the rule off; it is then asked again with the next piece of work. */
  raise(organizationId: string, finding: ReturnType<typeof findingOfKey>): Promise<boolean>;
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
      const due = dueFor(key, stored.keyAlerts, now());
      if (due.raise.length + due.resolve.length === 0) return;
      for (const subject of due.resolve) await resolve?.(organizationId, { kind: "finding", rule: KEY_RULE, subject });
      const raised = [...due.raised];
      if (key !== undefined)
        for (const warning of due.raise)
          if (await raise(organizationId, findingOfKey(warning, key, setup, now()))) raised.push(warning);
      if (raised.length === due.raised.length && due.resolve.length === 0) return;
      const of = key?.digest;
      const after = of === undefined || raised.length === 0 ? undefined : { of, raised };
      if (await keys.noteAlerts(organizationId, { key, before: stored.keyAlerts, after })) return;
    }
  };
