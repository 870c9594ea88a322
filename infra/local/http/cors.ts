import type { CorsModel } from "../core/model.ts";
import { headerOf, type WireRequest, type WireResponse } from "./front-end.ts";

const CORS_HEADER = /^access-control-/;

/** Only a request with both headers is a preflight request. */
const isPreflight = (request: WireRequest): boolean =>
  request.method === "OPTIONS" && headerOf(request, "access-control-request-method") !== undefined;

/** The headers that an HTTP API adds. Without an `origin` that it allows, it adds none. */
const corsHeaders = (cors: CorsModel, request: WireRequest): Record<string, string> => {
  const origin = headerOf(request, "origin");
  if (origin === undefined || !cors.allowOrigins.includes(origin)) return {};
  const lists = {
    "access-control-expose-headers": cors.exposeHeaders,
    ...(isPreflight(request) && {
      "access-control-allow-methods": cors.allowMethods,
      "access-control-allow-headers": cors.allowHeaders,
    }),
  };
  return {
    "access-control-allow-origin": origin,
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([name, list]) => (list.length > 0 ? [[name, list.join(",")]] : [])),
    ),
    ...(isPreflight(request) && { "access-control-max-age": String(cors.maxAgeSeconds) }),
  };
};

/**
 * A function's answer as an HTTP API with CORS sends it: its own CORS headers replace those of the function. Answers of
 * the API itself (404, 413, 500, 503) get none, because the documentation promises them for integrations only.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
 */
export const withCors = (cors: CorsModel | undefined, request: WireRequest, response: WireResponse): WireResponse => {
  if (cors === undefined) return response;
  const own = Object.entries(response.headers).filter(([name]) => !CORS_HEADER.test(name));
  return { ...response, headers: { ...Object.fromEntries(own), ...corsHeaders(cors, request) } };
};

/** The answer to an OPTIONS request that no route takes, `$default` included; undefined without CORS. */
export const answerPreflight = (cors: CorsModel | undefined, request: WireRequest): WireResponse | undefined =>
  cors === undefined || request.method !== "OPTIONS"
    ? undefined
    : { statusCode: 204, headers: corsHeaders(cors, request), body: Buffer.alloc(0) };
