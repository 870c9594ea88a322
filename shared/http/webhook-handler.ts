/**
 * From an event of the Lambda URL or the webhooks' HTTP API to a delivery and back: `POST /{organizationId}` and
 * `POST /-/platform`, 1 MiB at most. Both pass all requests to the function, so this file checks path and method.
 * Answers: docs/webhooks.md, "Answers".
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { definedFields } from "../json/defined-fields.ts";
import { withDeadline } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { fromWebhookSegment } from "../terms/webhook-path.ts";
import type { Receive } from "../webhooks/receive.ts";
import type { ReceivePlatform } from "../webhooks/receive-platform.ts";
import { createHttpHandler, type HttpHandler } from "./middleware.ts";
import { type Response, respond } from "./respond.ts";

const MAX_WEBHOOK_BYTES = 1_048_576;

/** Four characters of base64 for three bytes. */
const MAX_BASE64_CHARACTERS = Math.ceil(MAX_WEBHOOK_BYTES / 3) * 4;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The limit of an organization in a token; a longer one cannot exist. */
const MAX_ORGANIZATION_CHARACTERS = 128;

/** Answers before Lambda ends the invocation, so that the provider sends the event again. */
const ANSWER_BEFORE_TIMEOUT_MS = 250;

const tooLarge = () => new DomainError("body_too_large", `body: expected at most ${MAX_WEBHOOK_BYTES} bytes`);

/** The bytes that the provider sent and signed. */
const bytesOf = ({ body = "", isBase64Encoded }: APIGatewayProxyEventV2): Buffer => {
  if (isBase64Encoded) {
    if (body.length > MAX_BASE64_CHARACTERS) throw tooLarge();
    if (body.length % 4 !== 0 || !BASE64.test(body)) {
      throw new DomainError("webhook_rejected", "body: expected base64");
    }
  }
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > MAX_WEBHOOK_BYTES) throw tooLarge();
  return bytes;
};

/** The path of the platform's endpoint. It has two segments, so it is not an organization's. */
const PLATFORM_PATH = "/-/platform";

/** The path's only segment; undefined if it cannot be an organization. */
const organizationOf = ({ rawPath }: APIGatewayProxyEventV2): string | undefined => {
  const [, segment = "", ...others] = rawPath.split("/");
  if (others.length > 0) return undefined;
  const organizationId = fromWebhookSegment(segment);
  const characters = [...(organizationId ?? "")].length;
  return characters >= 1 && characters <= MAX_ORGANIZATION_CHARACTERS ? organizationId : undefined;
};

/**
 * The Lambda handler of the webhook URL. It answers every failure with the Error body and writes one log line.
 * @param signatureHeader the provider's name for it, in lower case.
 */
export const createWebhookHandler = (
  { receive, receivePlatform }: { receive: Receive; receivePlatform: ReceivePlatform },
  signatureHeader: string,
): HttpHandler => {
  const handle = async (event: APIGatewayProxyEventV2): Promise<Response> => {
    const { requestId, http } = event.requestContext;
    if (http.method !== "POST") {
      throw new DomainError("method_not_allowed", `The path does not support the method ${http.method}.`, {
        allow: ["POST"],
      });
    }
    const delivery = {
      body: bytesOf(event),
      signature: event.headers[signatureHeader],
      origin: {
        requestId,
        ipAddress: http.sourceIp,
        ...definedFields({ userAgent: http.userAgent }),
      },
    };
    if (event.rawPath === PLATFORM_PATH) await receivePlatform(delivery);
    else await receive({ ...delivery, organizationId: organizationOf(event) });
    return respond(requestId, 200, JSON.stringify({ received: true }));
  };

  return createHttpHandler("POST /{organizationId}", (event) => withDeadline(() => handle(event)), {
    timeoutEarlyInMillis: ANSWER_BEFORE_TIMEOUT_MS,
    timeoutEarlyResponse: () => {
      throw new DomainError("store_unavailable", "The event could not be stored in time. Send it again.");
    },
  });
};
