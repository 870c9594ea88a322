/** The answers of the page `/docs` and of its assets. Decisions: docs/api.md. */
import { gunzipSync } from "node:zlib";
import middy from "@middy/core";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { DomainError } from "../runtime/domain-error.ts";
import type { LocateClient } from "./client-address.ts";
import type { HttpHandler } from "./create-handler.ts";
import { answerErrors, logRequests, withRequestIds } from "./middleware.ts";
import { type Response, respond } from "./respond.ts";

/** The page loads, calls and shows only what the API itself serves, and runs no inline script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const createPageHandler = (
  name: string,
  answer: (event: APIGatewayProxyEventV2) => Response,
  { locateClient }: { locateClient?: LocateClient },
): HttpHandler =>
  withRequestIds(
    middy(async (event: APIGatewayProxyEventV2): Promise<Response> => answer(locateClient?.(event) ?? event))
      .use(logRequests(name))
      .use(answerErrors()),
  );

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Where a newcomer gets a token. Only the local cloud has an issuer without TLS; no issuer exists under `.invalid`. */
const tokenHint = (issuer: string, audience: string): string => {
  const { protocol, hostname } = new URL(issuer);
  if (protocol === "http:") {
    return "Get a token: in the checkout, run <code>npm run --silent token -- --org acme --role admin --user ada</code>";
  }
  if (hostname.endsWith(".invalid")) return "This deployment trusts no issuer, so every token is refused.";
  return `Get an access token of <code>${escapeHtml(issuer)}</code> for the audience <code>${escapeHtml(audience)}</code>`;
};

type PageOptions = {
  /** The page, with `{{token}}` in the place of the hint. */
  template: string;
  issuer: string;
  audience: string;
  locateClient?: LocateClient;
};

/** The handler of `/docs`. */
export const createDocsHandler = ({ template, issuer, audience, ...options }: PageOptions): HttpHandler => {
  const hint = tokenHint(issuer, audience);
  const page = template.replace("{{token}}", () => hint);
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
  };
  return createPageHandler(
    "GET /docs",
    ({ requestContext }) => respond(requestContext.requestId, 200, page, headers),
    options,
  );
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
const acceptsGzip = (accept = ""): boolean =>
  accept.split(",").some((one) => /^\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one));

type AssetOptions = {
  /** The gzip of each asset by its name. A name contains a hash of the content. */
  assets: ReadonlyMap<string, Buffer>;
  locateClient?: LocateClient;
};

/** The handler of `/docs/{file}`. */
export const createDocsAssetHandler = ({ assets, ...options }: AssetOptions): HttpHandler =>
  createPageHandler(
    "GET /docs/{file}",
    ({ pathParameters, headers, requestContext }) => {
      const name = pathParameters?.file ?? "";
      const compressed = assets.get(name);
      const type = CONTENT_TYPES[name.slice(name.lastIndexOf(".") + 1)];
      if (compressed === undefined || type === undefined) {
        throw new DomainError("route_not_found", "The path does not exist.");
      }
      const isCompressed = acceptsGzip(headers["accept-encoding"]);
      const body = (isCompressed ? compressed : gunzipSync(compressed)).toString("base64");
      const response = respond(requestContext.requestId, 200, body, {
        "content-type": type,
        // The name changes with the content. https://www.rfc-editor.org/rfc/rfc8246
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(isCompressed && { "content-encoding": "gzip" }),
      });
      return { ...response, isBase64Encoded: true };
    },
    options,
  );
