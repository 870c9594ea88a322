/**
 * A few hundred generated inputs over HTTP: the gateway passes on what the OpenAPI document allows, and no answer is a 5xx
 * of the service.
 */
import { expect, it } from "@jest/globals";
import { fc } from "../support/fixed-seed.ts";
import { allInputs, allowsInAnyCase, pathOf, type Request, textsOf } from "../support/input-contract.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const token = await service.mint({ organizationId: "inputs", role: "admin", userId: "ada" });

/** Webhooks have another URL, and test/http/webhooks.deep.test.ts. */
const inputs = allInputs.filter(
  ({ operation }) => !operation.startsWith("post /{") && !operation.startsWith("post /-"),
);

/** What a client can send: `fetch` refuses other headers, and shortens a path by dots. */
const isSendable = (request: Request): boolean =>
  textsOf(request, "header").every(([, value]) => /^[!-~]+$/.test(value)) &&
  textsOf(request, "path").every(([, value]) => !/^\.{1,2}$/.test(value));

/** The gateway takes a slash in an id for the end of a segment, and would not pass the other inputs on. */
const withoutSlashes = (request: Request): Request => ({
  ...request,
  ...Object.fromEntries(textsOf(request, "path").map(([name, value]) => [`path ${name}`, value.replaceAll("/", "-")])),
});

/** A hold of a circuit must end in the future, which no schema can say. */
const isPast = (operation: string, value: unknown): boolean =>
  operation.endsWith("/circuit-breaker") &&
  typeof value === "object" &&
  value !== null &&
  "until" in value &&
  Number(value.until) <= Date.now();

/** A cursor and an OAuth state of the right form that the service did not issue. */
const UNKNOWN = [40003, 40004];

/** Which time zones exist, and which destinations may be reached, no schema can say either. */
const FIELD_OF_DESTINATION = /^(?:quietHours\.(?:timeZone|to)|digest\.timeZone|url|address): /;

type ErrorBody = { error?: number; message?: string };

/** Whether the service refuses what the document cannot forbid. */
const isBeyondSchema = (path: string, { error = 0, message = "" }: ErrorBody): boolean =>
  UNKNOWN.includes(error) || (path.includes("/notifications") && error === 40002 && FIELD_OF_DESTINATION.test(message));

it.each(inputs)("is accepted over HTTP as the document says, and never a 5xx: $title", async (input) => {
  const { operation, place, valid, near, requestWith } = input;
  const [method = "", path = ""] = operation.split(" ");
  const values = fc.sample(fc.oneof(valid, near), 12).filter((value) => isSendable(requestWith(value)));
  for (const value of values) {
    const request = place === "path" ? requestWith(value) : withoutSlashes(requestWith(value));
    const { status, body } = await service.request(method.toUpperCase(), pathOf(path, request), {
      token,
      headers: Object.fromEntries(textsOf(request, "header")),
      ...("body " in request && { body: JSON.stringify(request["body "]) }),
    });
    if (status === 413) continue;
    const isAllowed = allowsInAnyCase(input, value) && !isPast(operation, request["body "]);
    const isRefused = status === 400 && !(isAllowed && isBeyondSchema(path, (body ?? {}) as ErrorBody));
    expect({ value, isRefused, is500: status === 500 }).toEqual({ value, isRefused: !isAllowed, is500: false });
  }
});
