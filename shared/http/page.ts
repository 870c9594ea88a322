/** The answers of pages for people, and of their assets: `/docs` and `/console`. */
import { gunzipSync } from "node:zlib";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { DomainError } from "../runtime/domain-error.ts";
import type { LocateClient } from "./client-address.ts";
import { acceptsCoding, GZIP } from "./content-coding.ts";
import { createHttpHandler, type HttpHandler } from "./middleware.ts";
import { type Response, respond } from "./respond.ts";
import type { Route } from "./route.ts";

export type PageOptions = {
  route: Pick<Route, "method" | "path">;
  locateClient?: LocateClient;
};

const createAnswerHandler = (
  { route: { method, path }, locateClient }: PageOptions,
  answer: (event: APIGatewayProxyEventV2) => Response | Promise<Response>,
): HttpHandler => createHttpHandler(`${method} ${path}`, async (event) => answer(locateClient?.(event) ?? event));

/** Escapes a text for HTML, also in the value of an attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * The policy of a page that loads only its own files and runs no inline script.
 * https://www.w3.org/TR/CSP3/
 * @param identityOrigins what the page may call in addition to the API itself
 * @param others further directives
 */
export const pagePolicy = (identityOrigins: readonly string[], others: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...identityOrigins].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...others,
  ].join("; ");

/** Browsers then ask this host for nothing over plain http for a year. https://www.rfc-editor.org/rfc/rfc6797 */
const HTTPS_ONLY = { "strict-transport-security": "max-age=31536000" };

/** The gateway says by which scheme the client called; a deployment has https only. */
const isOverHttps = ({ headers }: APIGatewayProxyEventV2): boolean =>
  (headers["x-forwarded-proto"] ?? "https") === "https";

/**
 * The handler of a page.
 * @param headersOf the page's own headers, among them its policy
 */
export const createPageHandler = (
  options: PageOptions & { page: string },
  headersOf: () => Record<string, string> | Promise<Record<string, string>>,
): HttpHandler =>
  createAnswerHandler(options, async (event) =>
    respond(event.requestContext.requestId, 200, options.page, {
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      ...(isOverHttps(event) && HTTPS_ONLY),
      ...(await headersOf()),
    }),
  );

const CONTENT_TYPES = {
  mjs: "text/javascript; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
} as const;

const typeOf = (name: string): string | undefined =>
  Object.entries(CONTENT_TYPES).find(([ending]) => name.endsWith(`.${ending}`))?.[1];

/** The handler of one file that keeps its name: whoever has it asks again whether it changed. */
export const createFileHandler = (
  options: PageOptions & { text: string; type: keyof typeof CONTENT_TYPES },
): HttpHandler =>
  createAnswerHandler(options, ({ requestContext }) =>
    respond(requestContext.requestId, 200, options.text, {
      "content-type": CONTENT_TYPES[options.type],
      "cache-control": "public, no-cache",
    }),
  );

/** The content codings by preference, and the end of the names of their files. */
const CODINGS = [
  { name: "br", suffix: ".br", pattern: /^br$/ },
  { name: "gzip", suffix: ".gz", pattern: GZIP },
] as const;

/** The ends of the names of compressed assets. */
export const compressedSuffixes: readonly string[] = CODINGS.map(({ suffix }) => suffix);

export type AssetOptions = PageOptions & {
  /** The compressed assets: each as `<name>.gz`, some also as `<name>.br`. A name contains a hash of the content. */
  assets: ReadonlyMap<string, Buffer>;
};

/** The handler of a page's assets; the path parameter `file` names one. */
export const createAssetHandler = ({ assets, ...options }: AssetOptions): HttpHandler =>
  createAnswerHandler(options, ({ pathParameters, headers, requestContext }) => {
    const name = pathParameters?.file ?? "";
    const gzip = assets.get(`${name}.gz`);
    const type = typeOf(name);
    if (gzip === undefined || type === undefined) {
      throw new DomainError("route_not_found", "The path does not exist.");
    }
    const accepted = headers["accept-encoding"] ?? "";
    const coding = CODINGS.find(
      ({ suffix, pattern }) => assets.has(`${name}${suffix}`) && acceptsCoding(accepted, pattern),
    );
    const body = coding === undefined ? gunzipSync(gzip) : (assets.get(`${name}${coding.suffix}`) ?? gzip);
    const response = respond(requestContext.requestId, 200, body.toString("base64"), {
      "content-type": type,
      // The name changes with the content. https://www.rfc-editor.org/rfc/rfc8246
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(coding && { "content-encoding": coding.name }),
    });
    return { ...response, isBase64Encoded: true };
  });
