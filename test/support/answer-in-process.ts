/**
 * Answers a request in process, up to the route's work: routed as the gateway routes it, and read by the route's parser, by
 * the function of unknown routes, or by the webhook URL's handler.
 */
import { decodePath } from "../../infra/local/front-ends/http-api.ts";
import { createRouter } from "../../infra/local/http/router.ts";
import { allRoutes, type RouteName, refusedRoutes } from "../../shared/api/routes.ts";
import { createUnknownRouteHandler } from "../../shared/http/unknown-route.ts";
import { catalogueEntry } from "../../shared/terms/error-catalogue.ts";
import { delivery } from "../shared/webhooks/receive-instance.ts";
import { httpEvent, lambdaContext } from "./http-event.ts";
import { answerWebhook, parseAs } from "./input-contract.ts";
import type { Mistake } from "./input-mistakes.ts";

const answerUnknownRoute = createUnknownRouteHandler(
  allRoutes.map(([, route]) => route),
  { answersPreflights: false },
);

type Target = { routeKey: string; name?: RouteName };

const router = createRouter<Target>([
  ...allRoutes.map(([name, { method, path }]) => ({ routeKey: `${method} ${path}`, name })),
  ...refusedRoutes.map(({ method, path }) => ({ routeKey: `${method} ${path}` })),
  { routeKey: "$default" },
]);

const parsers = Object.fromEntries(allRoutes.map(([name]) => [name, parseAs(name)]));

const bodyOf = ({ body }: Mistake) => {
  if (body === undefined) return {};
  return typeof body === "string" ? { body } : { body: Buffer.from(body).toString("base64"), isBase64Encoded: true };
};

type Answer = { status: number | undefined; allow?: string | undefined };

const answerOfWebhookUrl = async (mistake: Mistake): Promise<Answer> => {
  const { method, target, headers } = mistake;
  const [rawPath = "", rawQueryString = ""] = target.split("?");
  const { body = "", ...encoding } = bodyOf(mistake);
  const sent = await answerWebhook(delivery(body, { method, rawPath, rawQueryString, headers, ...encoding }));
  return { status: sent.statusCode, allow: sent.headers.allow };
};

/** The status; undefined if the work would decide it. */
export const answerInProcess = async (mistake: Mistake): Promise<Answer> => {
  const { method, target, headers } = mistake;
  if (mistake.isWebhook) return answerOfWebhookUrl(mistake);
  const rawPath = decodePath(target);
  if (rawPath === undefined) return { status: 400 };
  const { route, pathParameters } = router(method, rawPath) ?? { route: { name: undefined }, pathParameters: {} };
  const event = httpEvent({
    method,
    rawPath,
    rawQueryString: target.includes("?") ? target.slice(target.indexOf("?") + 1) : "",
    pathParameters,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...bodyOf(mistake),
  });
  if (route.name === undefined) {
    const { statusCode, headers: sent } = await answerUnknownRoute(event, lambdaContext);
    return { status: statusCode, allow: sent.allow };
  }
  const refusal = await parsers[route.name]?.(event);
  return { status: refusal && catalogueEntry(refusal).status };
};
