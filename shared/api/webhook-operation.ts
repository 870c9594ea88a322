/**
 * The webhook URL in the OpenAPI document. It is no route of the API: a Lambda URL of its own serves it, and no token
 * opens it (docs/webhooks.md).
 */
import * as z from "zod/mini";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import type { tags } from "../http/route.ts";
import type { ErrorName } from "../terms/error-catalogue.ts";
import { EVENT_ID, TYPE_MAX_CHARACTERS } from "../webhooks/webhook-event.ts";

/** Behind the base of the URL. */
export const WEBHOOK_PATH = "/{organizationId}";

const FAILURES: readonly ErrorName[] = [
  "invalid_json",
  "invalid_field",
  "webhook_rejected",
  "body_too_large",
  "internal",
  "store_unavailable",
];

const Organization = z.object({
  organizationId: z.string().register(z.globalRegistry, {
    description: "Whose account the event is of, percent-encoded: `webhookUrl` of the connection is the whole address.",
  }),
});

const Signature = z.object({
  "Stripe-Signature": z.string().register(z.globalRegistry, {
    description:
      "`t=<epoch seconds>,v1=<hex>`, one `v1` for each secret: HMAC-SHA256 of `<t>.<body>`, at most 300 s from now.",
  }),
});

/** What is read of an event; whatever else there is, is dropped. */
const ProviderEventBody = z
  .object({
    id: z.string().check(z.regex(EVENT_ID)),
    type: z.string().check(z.maxLength(TYPE_MAX_CHARACTERS)).register(z.globalRegistry, {
      description: "Types that concern no record are acknowledged, too.",
    }),
    created: z.int().register(z.globalRegistry, { description: "Epoch seconds." }),
    account: z.optional(z.string()).register(z.globalRegistry, {
      description: "The account that it is of, where one is named; another's events are acknowledged and not applied.",
    }),
    data: z.optional(z.object({ object: z.optional(z.unknown()) })),
  })
  .register(z.globalRegistry, {
    id: "ProviderEvent",
    description: "An event as the provider sends it, at most 1 MiB.",
  });

const Received = z.object({ received: z.literal(true) }).register(z.globalRegistry, { id: "WebhookReceived" });

/** @param failuresOf makes the responses of failures, as every operation has them. */
export const webhookOperation = (
  failuresOf: (names: readonly ErrorName[]) => ZodOpenApiOperationObject["responses"],
): ZodOpenApiOperationObject => ({
  operationId: "receiveWebhook",
  summary: "Take a webhook of the provider",
  description:
    "The provider calls this; the signature is the authentication. It is served by a URL of its own, not by the API: " +
    "the deployment's output names it, and so does every connection. 200 says that the event is stored and handed " +
    "over, or was so before. All that is not genuine gets the same 400, whoever is connected.",
  tags: ["webhooks" satisfies keyof typeof tags],
  security: [],
  servers: [
    {
      url: "{webhookUrl}",
      description: "The base of the webhook URL, which is not where the API is.",
      variables: {
        webhookUrl: {
          default: "https://webhooks.example.com",
          description: "The deployment's output for it; `webhookUrl` of a connection without its last segment.",
        },
      },
    },
  ],
  requestParams: { path: Organization, header: Signature },
  requestBody: { required: true, content: { "application/json": { schema: ProviderEventBody } } },
  responses: {
    200: {
      description: "The event need not be sent again.",
      headers: { "x-request-id": { $ref: "#/components/headers/RequestId" } },
      content: { "application/json": { schema: Received } },
    },
    ...failuresOf(FAILURES),
  },
});
