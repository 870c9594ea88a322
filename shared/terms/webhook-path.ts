/**
 * An organization's id as the last segment of its webhook URL. A Lambda URL passes the path as it was sent, so the id
 * is percent-encoded. An HTTP API decodes the path before the function receives it: `a%2Fb` and `a/b` are then the same.
 * Behind an HTTP API, an id with reserved characters is written as `=` and its base64url.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */

/** What a segment goes through: `url` is a Lambda URL, `api` an HTTP API. */
export type WebhookEntrance = "url" | "api";

/** An id of unreserved characters only (RFC 3986), which mean the same encoded and decoded. */
const PLAIN = /^[\w.~-]+$/;
/** Percent-encoding leaves no `=` in a segment. */
const BASE64URL = /^=([\w-]+)$/;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const toWebhookSegment = (organizationId: string, entrance: WebhookEntrance): string =>
  entrance === "url" || PLAIN.test(organizationId)
    ? encodeURIComponent(organizationId)
    : `=${Buffer.from(organizationId).toString("base64url")}`;

/** The id in a segment of either form; undefined if the segment is malformed. */
export const fromWebhookSegment = (segment: string): string | undefined => {
  try {
    const encoded = BASE64URL.exec(segment)?.[1];
    return encoded === undefined ? decodeURIComponent(segment) : utf8.decode(Buffer.from(encoded, "base64url"));
  } catch {
    return undefined;
  }
};
