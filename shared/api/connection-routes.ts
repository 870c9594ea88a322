/** The endpoints of the connection to the provider. Decisions: docs/connection.md. */
import { Connection } from "../connection/connection.ts";
import { Authorization, ConnectionRequest, WebhookSecretsRequest } from "../connection/connection-request.ts";
import { defineRoutes } from "../http/route.ts";

export const connectionRoutes = defineRoutes("connection", {
  getConnection: {
    method: "GET",
    path: "/api/integrations/provider/connection",
    permission: "status:read",
    summary: "Read the connection",
    description: "Returns the organization's connection; `disconnected` if it was never connected.",
    success: { status: 200, description: "The connection, without its credentials.", body: Connection },
  },
  connectProvider: {
    method: "PUT",
    path: "/api/integrations/provider/connection",
    permission: "connection:manage",
    summary: "Connect an account of the provider",
    description:
      "Verifies the credentials with the provider, stores them encrypted and starts the first sync; `POST …/sync` is 409 until it has ended. Connecting the same account again replaces its credentials. Another account is refused while records of the first account are stored.",
    request: { body: ConnectionRequest },
    success: { status: 200, description: "The connection, without its credentials.", body: Connection },
    failures: [
      "invalid_authorization",
      "other_account",
      "account_shared",
      "credentials_refused",
      "webhook_not_registered",
      "circuit_open",
      "provider_unavailable",
      "oauth_not_configured",
      "webhook_url_missing",
    ],
  },
  changeWebhookSecrets: {
    method: "PUT",
    path: "/api/integrations/provider/connection/webhook-secrets",
    permission: "connection:manage",
    summary: "Replace the webhook secrets",
    description:
      "Replaces the secrets that verify the provider's webhooks. Needs no credentials and starts no sync. Replaced secrets stay valid for 24 hours. Repeating a request changes nothing.",
    request: { body: WebhookSecretsRequest },
    success: { status: 200, description: "The connection, without its credentials and secrets.", body: Connection },
    failures: ["not_connected"],
  },
  updateWebhookEndpoint: {
    method: "PUT",
    path: "/api/integrations/provider/connection/webhook-endpoint",
    permission: "connection:manage",
    summary: "Update the webhook endpoint",
    description:
      "Enables the endpoint at the provider that `registerWebhook` made, and has it send all event types that `webhookSetup` lists, with the stored key. The endpoint keeps its secret. Afterwards, `missing.eventTypes` is empty. Repeating a request changes nothing.",
    success: { status: 200, description: "The connection, without its credentials and secrets.", body: Connection },
    failures: [
      "not_connected",
      "webhook_not_registered",
      "credentials_refused",
      "circuit_open",
      "provider_unavailable",
    ],
  },
  disconnectProvider: {
    method: "DELETE",
    path: "/api/integrations/provider/connection",
    permission: "connection:manage",
    summary: "Disconnect the account",
    description:
      "Destroys the credentials and stops syncing at once. Synced records stay until they are erased. Without a connection, the request changes nothing.",
    success: { status: 204, description: "The organization is disconnected." },
  },
  authorizeConnection: {
    method: "POST",
    path: "/api/integrations/provider/connection/authorize",
    permission: "connection:manage",
    summary: "Start to connect by OAuth",
    description:
      "Returns the provider's page where the user grants access, and the state that the provider returns with the code. A state expires after 10 minutes and is valid for one connection by this user.",
    success: { status: 200, description: "The page where the user grants access.", body: Authorization },
    failures: ["oauth_not_configured"],
  },
});
