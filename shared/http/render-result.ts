/** From the result of a handler to the response. Lists: docs/decisions.md, "Lists". */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { encodeJson } from "../json/encode-json.ts";
import type { OpenCursors } from "./cursor.ts";
import { fitList, PAGE, roomBeside } from "./fit-list.ts";
import type { ParsedRequest } from "./parse-request.ts";
import { type Response, respond, respondHtml } from "./respond.ts";
import type { Html, Paging, ResultOf, Route } from "./route.ts";

/** RFC 8288. Relative to the request, so that it works behind any domain name. */
const linkTo = (rawPath: string, query: Record<string, string>): string =>
  `<${encodeURI(rawPath)}?${new URLSearchParams(query)}>; rel="next"`;

/** The items of a result, its other fields, and its last position. If the list is the body, there are no other fields. */
const partsOf = (field: string | undefined, result: Record<string, unknown>) => {
  const { next, items, ...rest } = field === undefined ? result : { ...result, items: result[field] };
  return { next, items: items as readonly unknown[], rest };
};

/** More than the longest cursor takes at the end of a body: an organization of 128 code points, in base64url. */
const CURSOR_ROOM = " ".repeat(2_000);

/** The room for each list beside the paged list: a quarter of a page. */
const QUARTER = { bytes: PAGE.bytes / 4, escapedBytes: PAGE.escapedBytes / 4 };

type Fields = Readonly<Record<string, unknown>>;

/** A body up to its paged list. Its other lists end where they fill a quarter of a page. */
const renderFrame = (body: Fields, field: string): string => {
  const others = Object.entries(body).flatMap(([name, value]) => {
    if (name === field || value === undefined) return [];
    return [`${JSON.stringify(name)}:${Array.isArray(value) ? fitList(value, QUARTER).text : encodeJson(value)},`];
  });
  return `{${others.join("")}${JSON.stringify(field)}:`;
};

const isHtml = (result: unknown): result is Html =>
  typeof result === "object" && result !== null && "html" in result && typeof result.html === "string";

/** The response depends on the Accept header. */
const VARY = { vary: "Accept" };

/**
 * The response to the result of a route's work. The route's schema parses the result, so that no other field leaves the
 * service.
 */
export const createResultRenderer = <R extends Route>(route: R, openCursors: OpenCursors | undefined) => {
  const { status, body: schema, html } = route.success;
  const { paging } = route;

  /** The body of a page, which ends where it is full but has at least one item, and the cursor of the next page. */
  const renderPaged = async (
    { position, field }: Paging,
    result: ResultOf<R>,
    seal: (position: unknown) => Promise<string>,
  ) => {
    const { next, items, rest } = partsOf(field, result as Record<string, unknown>);
    const body = schema?.parse(field === undefined ? items : { ...rest, [field]: items });
    const [before, shown, room] =
      field === undefined ? ["", body, ""] : [renderFrame(body as Fields, field), (body as Fields)[field], CURSOR_ROOM];
    const list = fitList(shown as readonly unknown[], roomBeside(PAGE, before + room), 1);
    const last = list.end < items.length ? position.parse(items[list.end - 1]) : next;
    const cursor = last === undefined ? undefined : await seal(last);
    const after = field === undefined ? "" : cursor === undefined ? "}" : `,"nextCursor":"${cursor}"}`;
    return { text: before + list.text + after, cursor };
  };

  return async (
    event: APIGatewayProxyEventV2,
    { binding, sentQuery }: Pick<ParsedRequest<R>, "binding" | "sentQuery">,
    result: ResultOf<R>,
  ): Promise<Response> => {
    const { requestId } = event.requestContext;
    if (html && isHtml(result)) return respondHtml(requestId, status, result, schema === undefined ? {} : VARY);
    if (schema === undefined) return respond(requestId, status);
    if (paging === undefined || openCursors === undefined) {
      return respond(requestId, status, encodeJson(schema.parse(result)), html ? VARY : {});
    }
    const seal = async (position: unknown) => (await openCursors()).seal(binding, position);
    const { text, cursor } = await renderPaged(paging, result, seal);
    if (cursor === undefined) return respond(requestId, status, text);
    const link = linkTo(event.rawPath, { ...sentQuery, cursor });
    return respond(requestId, status, text, { link, "x-next-cursor": cursor });
  };
};
