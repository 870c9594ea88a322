import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Page, ResultOf, Route } from "../api/route.ts";
import { encodeJson } from "../json/encode-json.ts";
import type { Cursors } from "./cursor.ts";
import { renderPage } from "./paging.ts";
import type { ParsedRequest } from "./parse-request.ts";
import { type Response, respond } from "./respond.ts";

/** RFC 8288. Relative to the request, so that it holds behind any domain name. */
const linkTo = (rawPath: string, query: Record<string, string>): string =>
  `<${encodeURI(rawPath)}?${new URLSearchParams(query)}>; rel="next"`;

/**
 * The response to what the work of a route gave back. The result is parsed by the route's schema, so that nothing
 * leaves the service that the schema does not name.
 */
export const createResultRenderer = <R extends Route>(route: R, cursors: Cursors | undefined) => {
  const { status, body: schema } = route.success;

  return (
    event: APIGatewayProxyEventV2,
    { binding, sentQuery }: Pick<ParsedRequest<R>, "binding" | "sentQuery">,
    result: ResultOf<R>,
  ): Response => {
    const { requestId } = event.requestContext;
    if (schema === undefined) return respond(requestId, status);
    if (route.paging === undefined || cursors === undefined) {
      return respond(requestId, status, encodeJson(schema.parse(result)));
    }
    const page = result as Page<unknown>;
    const shown = schema.parse(page.items) as unknown[];
    const { body, end } = renderPage(shown, encodeJson);
    const last = page.items[end - 1];
    const hasNext = last !== undefined && (page.hasMore || end < page.items.length);
    if (!hasNext) return respond(requestId, status, body);
    const cursor = cursors.seal(binding, route.paging.position.parse(last));
    return respond(requestId, status, body, { link: linkTo(event.rawPath, { ...sentQuery, cursor }) });
  };
};
