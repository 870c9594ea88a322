/**
 * Answers of the API to an administrator of an organization with data of every kind, without the service: the examples of the
 * OpenAPI document. For tests of pages that show what the API answers.
 */
import type { Page } from "playwright-core";
import { examplesOf } from "../../shared/api/examples.ts";
import { allRoutes } from "../../shared/api/routes.ts";

type Body = Record<string, unknown> | unknown[];

/** All examples of an operation in one: lists are joined, objects have the fields of all. */
const joined = (bodies: readonly Body[]): Body =>
  bodies.every((body) => Array.isArray(body)) ? bodies.flat() : Object.assign({}, ...bodies);

const bodyOf = (operation: string, path: string): Body => {
  const examples = Object.entries(examplesOf(operation, "response").examples ?? {});
  // Each type of records has an example of its own.
  const own = examples.filter(([name]) => path.endsWith(`/${name}`));
  return structuredClone(joined((own.length > 0 ? own : examples).map(([, { value }]) => value as Body)));
};

/** What the examples do not have. */
const complete = (operation: string, body: Body): Body => {
  if (operation !== "listSecurityEvents" || Array.isArray(body)) return body;
  const { nextCursor: _, ...report } = body;
  const [alert] = bodyOf("listSecurityAlerts", "") as Record<string, unknown>[];
  const finding = {
    alertId: alert?.id,
    rule: "repeated_auth_failures",
    subject: "mallory",
    evidence: { eventIds: [], count: 5 },
    firstSeen: alert?.firstSeen,
    lastSeen: alert?.lastSeen,
  };
  return { ...report, suspiciousActivity: [finding] };
};

/** @returns undefined for a request that is not the API's. */
export const exampleAnswer = (method: string, path: string): Body | undefined => {
  const found = allRoutes.find(
    ([name, route]) =>
      route.method === method &&
      Object.keys(examplesOf(name, "response")).length > 0 &&
      new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
  return found && complete(found[0], bodyOf(found[0], path));
};

/**
 * Answers the requests of a page to the API.
 * @param change makes other answers of the examples
 */
export const answerByExamples = (page: Page, change: (body: Body, path: string) => unknown = (body) => body) =>
  page.route(/\/api\/integrations\//, (route) => {
    const { pathname } = new URL(route.request().url());
    const body = exampleAnswer(route.request().method(), pathname);
    return body === undefined ? route.continue() : route.fulfill({ json: change(body, pathname) });
  });
