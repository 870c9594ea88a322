/**
 * The address of the client if a CDN is in front of the API. API Gateway then sees the CDN's address, and the CDN names
 * the client's in a header. The header counts only beside a secret that the CDN adds to every request. A request without
 * the secret did not come through the CDN and is refused: it could otherwise evade the CDN's rules. docs/deployment.md.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { DomainError } from "../runtime/domain-error.ts";

export type TrustedCdn = {
  /** The header with the client's address, in lower case. */
  addressHeader: string;
  /** The header with the secret, in lower case. */
  secretHeader: string;
  /** SHA-256 of each valid secret, in hex: two while the secret is rotated. */
  secretHashes: readonly string[];
};

/** Returns the event with the client's address in `sourceIp`. @throws DomainError `not_through_cdn` */
export type LocateClient = (event: APIGatewayProxyEventV2) => APIGatewayProxyEventV2;

/**
 * The header in which CloudFront always appends the port, also to an IPv6 address without brackets.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html
 */
const WITH_PORT = "cloudfront-viewer-address";

/** Undefined unless the value is exactly one address. A CDN that appends to the client's header makes a list. */
const parseAddress = (header: string, value: string): string | undefined => {
  const address = header === WITH_PORT ? value.replace(/:\d{1,5}$/, "") : value;
  return isIP(address) === 0 || address.includes("%") ? undefined : address.toLowerCase();
};

export const createClientLocator = ({ addressHeader, secretHeader, secretHashes }: TrustedCdn): LocateClient => {
  const hashes = secretHashes.map((hash) => Buffer.from(hash, "hex"));

  /** Compares with every hash, so that the time does not depend on the secret. */
  const isSecret = (value: string): boolean => {
    const given = createHash("sha256").update(value).digest();
    return hashes.filter((hash) => timingSafeEqual(hash, given)).length > 0;
  };

  return (event) => {
    if (!isSecret(event.headers[secretHeader] ?? "")) {
      throw new DomainError("not_through_cdn", "Call the API by its public address.");
    }
    const sourceIp = parseAddress(addressHeader, event.headers[addressHeader] ?? "");
    if (sourceIp === undefined) {
      throw new DomainError("not_through_cdn", `The header ${addressHeader} must contain one IP address.`);
    }
    const { requestContext, headers } = event;
    // Optional: the name under which clients call the CDN. Only addresses in answers depend on it.
    const host = headers["x-forwarded-host"] ?? headers.host;
    return {
      ...event,
      headers: { ...headers, ...(host !== undefined && { host }) },
      requestContext: { ...requestContext, http: { ...requestContext.http, sourceIp } },
    };
  };
};
