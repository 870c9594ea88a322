/**
 * PUT …/connection/webhook-secrets: replaces the secrets that verify the organization's webhooks, without credentials and
 * without a sync. docs/connection.md, "Webhook secrets".
 */
import type { Clock } from "../runtime/clock.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { requesterFields, requesterOf } from "../terms/requester.ts";
import type { Connection, ViewConnection } from "./connection.ts";
import type { ConnectionUserRequest, RecordConnectionChange } from "./connection-events.ts";
import type { ConnectionSecrets, WebhookSecret } from "./connection-secrets.ts";
import type { WebhookSecretsStore } from "./secret-change-store.ts";

/** Decisions: how long a replaced secret still verifies deliveries. */
const REPLACED_VALID_MS = 24 * HOUR_MS;

/** Four whole replacements within a day. The secrets that were replaced first are dropped first. */
const MAX_REPLACED = 16;

const isReplaced = ({ validUntil }: WebhookSecret): boolean => validUntil !== undefined;

/** The secrets that verify a delivery now. @param now epoch ms. */
export const validSecrets = (stored: readonly WebhookSecret[], now: number): string[] =>
  stored.filter(({ validUntil }) => validUntil === undefined || now < validUntil).map(({ secret }) => secret);

/**
 * The stored secrets after a change: the given ones, and those that they replace, which stay valid for a day. The same
 * change again neither prolongs nor removes replaced secrets. Pure.
 * @param now epoch ms.
 * @returns undefined if the given secrets are the current ones already.
 */
export const replaceSecrets = (
  before: readonly WebhookSecret[],
  given: readonly string[],
  now: number,
): { stored: WebhookSecret[]; replaced: number } | undefined => {
  const wanted = new Set(given);
  const current = before.filter((one) => !isReplaced(one));
  const leaving = current
    .filter(({ secret }) => !wanted.has(secret))
    .map(({ secret }) => ({ secret, validUntil: now + REPLACED_VALID_MS }));
  if (leaving.length === 0 && current.length === wanted.size) return undefined;
  const earlier = before.filter(
    ({ secret, validUntil }) => validUntil !== undefined && now < validUntil && !wanted.has(secret),
  );
  const replaced = [...earlier, ...leaving].slice(-MAX_REPLACED);
  return { stored: [...[...wanted].map((secret) => ({ secret })), ...replaced], replaced: leaving.length };
};

type Dependencies = {
  changes: Pick<WebhookSecretsStore, "change">;
  secrets: Pick<ConnectionSecrets, "openWebhookSecrets" | "sealWebhookSecrets">;
  recordChange: RecordConnectionChange;
  view: ViewConnection;
  now: Clock;
  /** A unique text. */
  newToken: () => string;
};

/** The returned function throws DomainError `not_connected` without a connection, and `store_unavailable`. */
export const createChangeWebhookSecrets =
  ({ changes, secrets, recordChange, view, now, newToken }: Dependencies) =>
  async (given: readonly string[], by: ConnectionUserRequest): Promise<Connection> => {
    const { organizationId } = by.caller;
    const { connection, unrecorded } = await changes.change(organizationId, async (before) => {
      const opened =
        before.webhookSecrets === undefined
          ? []
          : await secrets.openWebhookSecrets(organizationId, before.webhookSecrets);
      const at = now();
      const next = replaceSecrets(opened, given, at);
      if (next === undefined) return undefined;
      const { connectionId, accountId, method } = before;
      return {
        webhookSecrets: await secrets.sealWebhookSecrets(organizationId, next.stored),
        change: {
          eventType: "WEBHOOK_SECRETS_CHANGED",
          connectionId,
          accountId,
          method,
          version: newToken(),
          at,
          source: "user",
          ...requesterFields(requesterOf(by)),
          requestId: by.origin.requestId,
          secrets: { current: next.stored.filter((one) => !isReplaced(one)).length, replaced: next.replaced },
        },
      };
    });
    for (const change of unrecorded) await recordChange(organizationId, change);
    return view(organizationId, connection);
  };
