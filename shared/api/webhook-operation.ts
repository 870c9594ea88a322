/**
 * The webhook URL in the OpenAPI document. It is not a route of the API: another URL serves it, and it takes no token
 * (docs/webhooks.md).
 */
import * as z from "zod/mini";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import type { tags } from "../http/route.ts";
import { SIGNATURE_MAX_CHARACTERS } from "../provider/stripe/verify-signature.ts";
import type { ErrorName } from "../terms/error-catalogue.ts";
import { examplesOf } from "./examples.ts";
import { failureResponses, REQUEST_ID } from "./open-api-responses.ts";

/** The paths after the base URL: of an organization's webhooks, and of the platform's. */
export const WEBHOOK_PATH = "/{organizationId}";
export const PLATFORM_WEBHOOK_PATH = "/-/platform";

const FAILURES: readonly ErrorName[] = [
  "invalid_json",
  "invalid_field",
  "webhook_rejected",
  "body_too_large",
  "internal",
  "store_unavailable",
];

/** The limits of an organization in a token (shared/terms/caller.ts). */
const ORGANIZATION = /^[^\p{C}\p{Z}]{1,128}$/u;

const Organization = z.object({
  organizationId: z
    .string()
    .check(z.regex(ORGANIZATION))
    .register(z.globalRegistry, {
      description:
        "The organization whose account sends the event, percent-encoded. `webhookUrl` of the connection is the full URL; " +
        "behind an HTTP API, an id with reserved characters is written there as `=` and its base64url.",
    }),
});

/**
 * The grammar of provider/stripe/verify-signature.ts: one `t`, at least one `v1`, at most 16 elements in any order; a scheme
 * other than `t` and `v1` has any value.
 */
const OTHER_SCHEME = "(?:[a-su-z0-9_]|[a-uw-z0-9_][a-z0-9_]|v[a-z02-9_]|[a-z0-9_]{3,16})";
const ELEMENT = `(?:v1=[0-9a-f]{64}|${OTHER_SCHEME}=[!-+.-~-]*)`;
const SIGNATURE = [
  new RegExp(`^(?:${ELEMENT},)*t=[0-9]{1,12}(?:,${ELEMENT})*$`),
  /(?:^|,)v1=/,
  /^[^,]*(?:,[^,]*){1,15}$/,
] as const;

const Signature = z.object({
  "Stripe-Signature": z
    .string()
    .check(z.maxLength(SIGNATURE_MAX_CHARACTERS), ...SIGNATURE.map((pattern) => z.regex(pattern)))
    .register(z.globalRegistry, {
      description:
        "`t=<epoch seconds>,v1=<hex>`, one `v1` for each secret: HMAC-SHA256 of `<t>.<body>`. `t` may differ from the " +
        "current time by at most 300 s.",
    }),
});

/** The fields of an event that are read. All other fields are dropped. */
const ProviderEventBody = z
  .object({
    id: z.string().check(z.minLength(1)),
    type: z.string().check(z.minLength(1)).register(z.globalRegistry, {
      description: "Event types that concern no record are acknowledged, too.",
    }),
    created: z.optional(z.unknown()).register(z.globalRegistry, {
      description: "Epoch seconds. An event without such a time is acknowledged but not applied.",
    }),
    account: z.optional(z.unknown()).register(z.globalRegistry, {
      description:
        "The account of the event. At an organization's URL it may be missing, and events of another account are " +
        "acknowledged but not applied. At the platform's endpoint it names the organizations that get the event. A value " +
        "that is not a text of at most 2,048 characters counts as missing.",
    }),
    data: z.optional(z.unknown()).register(z.globalRegistry, {
      description: "`data.object` is the object. If it is not what the provider documents, nothing is applied.",
    }),
  })
  .register(z.globalRegistry, {
    id: "ProviderEvent",
    description: "An event as the provider sends it, at most 1 MiB.",
  });

const Received = z.object({ received: z.literal(true) }).register(z.globalRegistry, {
  id: "WebhookReceived",
  description: "The event was received and need not be sent again.",
});

type Operation = Pick<ZodOpenApiOperationObject, "summary" | "description" | "requestParams"> & { operationId: string };

const operationOf = (operation: Operation): ZodOpenApiOperationObject => ({
  ...operation,
  tags: ["webhooks" satisfies keyof typeof tags],
  security: [],
  servers: [
    {
      url: "{webhookUrl}",
      description: "The base of the webhook URL; it differs from the API's.",
      variables: {
        webhookUrl: {
          default: "https://webhooks.example.com",
          description: "An output of the deployment; equals `webhookUrl` of a connection without the last segment.",
        },
      },
    },
  ],
  requestBody: {
    required: true,
    content: { "application/json": { schema: ProviderEventBody, ...examplesOf(operation.operationId, "request") } },
  },
  responses: {
    200: {
      description: "The event was received and need not be sent again.",
      headers: REQUEST_ID,
      content: { "application/json": { schema: Received, ...examplesOf(operation.operationId, "response") } },
    },
    ...failureResponses(FAILURES),
  },
});

/** The operations by path. */
export const webhookPaths = () => ({
  [WEBHOOK_PATH]: {
    post: operationOf({
      operationId: "receiveWebhook",
      summary: "Receive a webhook of the provider",
      description:
        "The provider calls this endpoint; the signature authenticates the request. A separate URL serves it, not the " +
        "API: the deployment's output and every connection contain the URL. 200 means that the event is stored and " +
        "queued, now or by an earlier request. Every request without a valid signature gets the same 400, whether or " +
        "not the organization is connected.",
      requestParams: { path: Organization, header: Signature },
    }),
  },
  [PLATFORM_WEBHOOK_PATH]: {
    post: operationOf({
      operationId: "receivePlatformWebhook",
      summary: "Receive a webhook of the platform's endpoint",
      description:
        "The provider sends the events of all accounts that granted the platform access by OAuth to one endpoint. The " +
        "platform's secret authenticates the request, and `account` names the organizations that have connected the " +
        "account. 200 means that the event is stored and queued for each of them, or that no organization has " +
        "connected the account. Every request without a valid signature gets the same 400, even if the deployment has " +
        "no such endpoint.",
      requestParams: { header: Signature },
    }),
  },
});
