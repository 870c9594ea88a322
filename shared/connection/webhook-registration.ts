/**
 * `registerWebhook`: makes the organization's webhook endpoint at the provider while an API key is connected, and removes
 * endpoints that nothing verifies any more. docs/connection.md, "Registering the webhook".
 */
import type { OperationContext, ProviderAccess, ProviderSetup } from "../provider/provider.ts";
import { ProviderError } from "../provider/provider-error.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import type { AccountConnection } from "./connection-item.ts";
import { bearerOf, fixedCredentials, type Secret } from "./connection-secrets.ts";

type Dependencies = {
  provider: Pick<ProviderAccess, "openWebhookEndpoints">;
  /** Undefined if the deployment has no webhook URL. */
  webhookUrlOf(organizationId: string): string | undefined;
  setup: Pick<ProviderSetup, "keyPermissions">;
  /** A unique text. */
  newToken: () => string;
};

/** `secret`: undefined if the endpoint exists and its secret is stored. `others`: endpoints at the same URL. */
export type RegisteredWebhook = { endpointId: string; secret: string | undefined; others: readonly string[] };

const refused = (message: string, cause: unknown) =>
  new DomainError("webhook_not_registered", `${message} Nothing was stored.`, { cause });

export const createWebhookRegistration = ({ provider, webhookUrlOf, setup, newToken }: Dependencies) => {
  const open = (secret: Secret, context: OperationContext) =>
    provider.openWebhookEndpoints(fixedCredentials(bearerOf(secret)), { ...context, isConnecting: true });

  const missingPermission = (): string => {
    const { resource, access } = setup.keyPermissions.find((one) => one.requiredFor === "webhook_registration") ?? {};
    return `The API key may not register webhooks: it needs the permission "${resource}: ${access}".`;
  };

  /** 401, and failures that say nothing about the request, stay as they are. */
  const toRefusal = (error: unknown): unknown => {
    if (!(error instanceof ProviderError)) return error;
    if (error.kind === "authorization") return refused(missingPermission(), error);
    if (error.kind !== "validation" || error.status === undefined) return error;
    const reason = error.code === undefined ? "" : ` (${error.code})`;
    return refused(`The provider refuses to register the webhook${reason}. Register it by hand.`, error);
  };

  const requireUrl = (organizationId: string): string => {
    const url = webhookUrlOf(organizationId);
    if (url !== undefined) return url;
    throw new DomainError(
      "webhook_url_missing",
      "This deployment has no webhook URL, so no webhook can be registered.",
    );
  };

  return {
    /** The URL to register. @throws DomainError `webhook_url_missing` if the deployment has none. */
    requireUrl,

    /**
     * Creates the endpoint, unless the stored connection has the secret of a current one. A repeated request after a lost
     * answer finds the endpoint whose secret was lost, and reports it in `others`.
     * @param before the connection to the same account that is replaced, if there is one.
     * @throws DomainError `webhook_not_registered` if the provider refuses; the errors of an operation.
     */
    async register(
      secret: Secret,
      before: AccountConnection | undefined,
      context: OperationContext,
    ): Promise<RegisteredWebhook> {
      const url = requireUrl(context.organizationId);
      const endpoints = open(secret, context);
      try {
        const listed = (await endpoints.list()).filter((endpoint) => endpoint.url === url);
        const storedId = before?.webhookSecrets === undefined ? undefined : before.webhookEndpointId;
        const kept = listed.find(({ id, isCurrent }) => isCurrent && id === storedId);
        const others = listed.map(({ id }) => id).filter((id) => id !== kept?.id);
        if (kept !== undefined) return { endpointId: kept.id, secret: undefined, others };
        const created = await endpoints.create({ url, idempotencyKey: newToken() });
        return { endpointId: created.id, secret: created.secret, others };
      } catch (error) {
        throw toRefusal(error);
      }
    },

    /**
     * Has an endpoint send all events that the service reads.
     * @throws DomainError `webhook_not_registered` if the provider refuses; the errors of an operation.
     */
    async update(secret: Secret, endpointId: string, context: OperationContext): Promise<void> {
      try {
        await open(secret, context).update(endpointId);
      } catch (error) {
        throw toRefusal(error);
      }
    },

    /** Removes endpoints at the provider. A failure goes to the log only: the provider's dashboard can remove them. */
    async remove(secret: Secret, endpointIds: Iterable<string>, context: OperationContext): Promise<void> {
      const endpoints = open(secret, context);
      const removeOne = (endpointId: string): Promise<void> =>
        endpoints.remove(endpointId).catch((error: unknown) => {
          const cause = error instanceof Error ? error.message : String(error);
          writeLog("warn", "Removing a webhook endpoint at the provider failed", { endpointId, cause });
        });
      await Promise.all([...endpointIds].map(removeOne));
    },
  };
};

export type WebhookRegistration = ReturnType<typeof createWebhookRegistration>;
