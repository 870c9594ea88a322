import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { DomainError } from "../runtime/domain-error.ts";
import { createHttpHandler } from "./middleware.ts";
import { type PathRoute, routesOf } from "./path-match.ts";
import { respond } from "./respond.ts";

/** A preflight request of a browser (https://fetch.spec.whatwg.org/#cors-preflight-request). */
const isPreflight = ({ headers, requestContext }: APIGatewayProxyEventV2): boolean =>
  requestContext.http.method === "OPTIONS" &&
  headers.origin !== undefined &&
  headers["access-control-request-method"] !== undefined;

/**
 * A handler that answers every event with 404, or with 405 and Allow if the path matches a route.
 * @param options.answersPreflights answers 204 to preflight requests. API Gateway answers them itself only if no route
 *   takes them, and the `$default` route takes them. It adds its CORS headers to this answer.
 *   https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
 */
export const createUnknownRouteHandler = (
  routes: readonly PathRoute[],
  { answersPreflights }: { answersPreflights: boolean },
) =>
  createHttpHandler("$default", async (event) => {
    const { rawPath, requestContext } = event;
    if (answersPreflights && isPreflight(event)) return respond(requestContext.requestId, 204);
    const allow = [...new Set(routesOf(routes, rawPath).map(({ method }) => method))];
    if (allow.length === 0) throw new DomainError("route_not_found", "The path does not exist.");
    const { method } = requestContext.http;
    throw new DomainError("method_not_allowed", `The path does not support the method ${method}.`, { allow });
  });
