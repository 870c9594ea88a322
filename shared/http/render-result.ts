/** From the result of a handler to the response. Lists: docs/decisions.md, "Lists". */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { encodeJson } from "../json/encode-json.ts";
import type { Cursors } from "./cursor.ts";
import type { ParsedRequest } from "./parse-request.ts";
import { type Response, respond, respondHtml } from "./respond.ts";
import type { Html, Paging, ResultOf, Route } from "./route.ts";

/** The largest body of a page: Lambda returns at most 6 MB. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * A list as JSON text of at most `maxBytes`, but with at least one item.
 * @returns the text, and the index of the first item that did not fit.
 */
const renderList = <Item>(
  items: readonly Item[],
  render: (item: Item) => string,
  maxBytes = MAX_PAGE_BYTES,
): { text: string; end: number } => {
  const rendered: string[] = [];
  let bytes = 2;
  for (const item of items) {
    const text = render(item);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > maxBytes && rendered.length > 0) break;
    rendered.push(text);
  }
  return { text: `[${rendered.join(",")}]`, end: rendered.length };
};

/** RFC 8288. Relative to the request, so that it works behind any domain name. */
const linkTo = (rawPath: string, query: Record<string, string>): string =>
  `<${encodeURI(rawPath)}?${new URLSearchParams(query)}>; rel="next"`;

/** The items of a result, its other fields, and its last position. If the list is the body, there are no other fields. */
const partsOf = (field: string | undefined, result: Record<string, unknown>) => {
  const { next, items, ...rest } = field === undefined ? result : { ...result, items: result[field] };
  return { next, items: items as readonly unknown[], rest };
};

const isHtml = (result: unknown): result is Html =>
  typeof result === "object" && result !== null && "html" in result && typeof result.html === "string";

/** The response depends on the Accept header. */
const VARY = { vary: "Accept" };

/**
 * The response to the result of a route's work. The route's schema parses the result, so that no other field leaves the
 * service.
 */
export const createResultRenderer = <R extends Route>(route: R, cursors: Cursors | undefined) => {
  const { status, body: schema, html } = route.success;
  const { paging } = route;

  /** The body of a page, cut to the largest size, and the position of its last item. */
  const renderPaged = ({ position, field }: Paging, result: ResultOf<R>) => {
    const { next, items, rest } = partsOf(field, result as Record<string, unknown>);
    const body = schema?.parse(field === undefined ? items : { ...rest, [field]: items });
    if (field === undefined) {
      const list = renderList(body as unknown[], encodeJson);
      return { text: list.text, next: list.end < items.length ? position.parse(items[list.end - 1]) : next };
    }
    const { [field]: shown, ...others } = body as Record<string, unknown[]>;
    const other = encodeJson(others);
    const frame = `${other.slice(0, -1)}${other === "{}" ? "" : ","}${JSON.stringify(field)}:`;
    const list = renderList(shown ?? [], encodeJson, MAX_PAGE_BYTES - Buffer.byteLength(frame) - 1);
    return {
      text: `${frame}${list.text}}`,
      next: list.end < items.length ? position.parse(items[list.end - 1]) : next,
    };
  };

  return (
    event: APIGatewayProxyEventV2,
    { binding, sentQuery }: Pick<ParsedRequest<R>, "binding" | "sentQuery">,
    result: ResultOf<R>,
  ): Response => {
    const { requestId } = event.requestContext;
    if (schema === undefined) return respond(requestId, status);
    if (html && isHtml(result)) return respondHtml(requestId, status, result.html, VARY);
    if (paging === undefined || cursors === undefined) {
      return respond(requestId, status, encodeJson(schema.parse(result)), html ? VARY : {});
    }
    const { text, next } = renderPaged(paging, result);
    if (next === undefined) return respond(requestId, status, text);
    const cursor = cursors.seal(binding, next);
    return respond(requestId, status, text, { link: linkTo(event.rawPath, { ...sentQuery, cursor }) });
  };
};
