/**
 * Every input that the OpenAPI document describes (body, path, query and header parameters of each operation), with the
 * document's judgement of a value and the service's. In process: the route's own parser, or the webhook URL's handler.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { createOpenApiDocument } from "../../shared/api/open-api-document.ts";
import { allRoutes, routes } from "../../shared/api/routes.ts";
import { PLATFORM_WEBHOOK_PATH, WEBHOOK_PATH } from "../../shared/api/webhook-operation.ts";
import { createCursors } from "../../shared/http/cursor.ts";
import { createRequestParser } from "../../shared/http/parse-request.ts";
import { encodeJson } from "../../shared/json/encode-json.ts";
import { DomainError } from "../../shared/runtime/domain-error.ts";
import type { Caller } from "../../shared/terms/caller.ts";
import { catalogueEntry, type ErrorName, errorNumbers } from "../../shared/terms/error-catalogue.ts";
import { createInstance, delivery } from "../shared/webhooks/receive-instance.ts";
import { fc } from "./fixed-seed.ts";
import { httpEvent } from "./http-event.ts";
import { type Schema, valuesOf } from "./schema-arbitrary.ts";

/** The document as clients read it. */
const document = JSON.parse(encodeJson(createOpenApiDocument(routes)));

const ajv = new Ajv2020({ strict: false, validateFormats: false });
addFormats.default(ajv);
ajv.addSchema({ $id: "api", ...document });

const escaped = (part: string | number) => encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1"));
const schemaAt = (...path: (string | number)[]): Schema => path.reduce((node, part) => node[part], document);
const resolve = (ref: string): Schema => schemaAt(...ref.split("/").slice(1));

/** Undefined if the service accepts the input, else its failure. */
export type Refusal = ErrorName | undefined;

type Place = "body" | "path" | "query" | "header";

/** The values of a request, by place and name. The body's name is empty. */
export type Request = Partial<Record<`${Place} ${string}`, unknown>>;

/** The path and the query of a request to an operation. */
export const pathOf = (template: string, request: Request): string => {
  const segments = Object.fromEntries(textsOf(request, "path"));
  const path = template.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(segments[name] ?? ""));
  return [path, queryOf(request)].filter(Boolean).join("?");
};

/** Sends a request with these inputs in process. */
type Send = (request: Request) => Promise<Refusal>;

export type Input = {
  title: string;
  operation: string;
  place: Place;
  name: string;
  /** Values that the document allows. */
  valid: fc.Arbitrary<unknown>;
  /** Values that deviate from the document in one place; some are allowed. */
  near: fc.Arbitrary<unknown>;
  allows(value: unknown): boolean;
  /** Sends a request with this value, whose other inputs are allowed. */
  refusal(value: unknown): Promise<Refusal>;
  /** The request with this value, for a test over HTTP. */
  requestWith(value: unknown): Request;
  send: Send;
};

/** A parameter as a client sends it. */
const toText = (value: unknown): string => (typeof value === "string" ? value : encodeJson(value));

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;

/** A parameter as the document describes it: the digits of an integer stand for the integer. */
const fromText = ({ type }: Schema, text: string): unknown =>
  type === "integer" && INTEGER.test(text) ? Number(text) : text;

const refusalOf = async (work: () => Promise<unknown>): Promise<Refusal> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

const caller: Caller = {
  userId: "ada",
  organizationId: "acme",
  role: "admin" as const,
  sessionId: undefined,
  scope: "org:acme" as const,
};

/** The parameters of a place, as texts. */
export const textsOf = (request: Request, place: Place): [string, string][] =>
  Object.entries(request).flatMap(([key, value]) =>
    key.startsWith(`${place} `) ? [[key.slice(place.length + 1), toText(value)]] : [],
  );

const queryOf = (request: Request): string =>
  textsOf(request, "query")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");

/** Has a route's parser read an event. */
export const parseAs = (name: keyof typeof routes): ((event: APIGatewayProxyEventV2) => Promise<Refusal>) => {
  const parse = createRequestParser(routes[name], async () => createCursors("secret"));
  return (event) => refusalOf(() => parse(event, caller));
};

const sendToRoute = (name: keyof typeof routes): Send => {
  const { method } = routes[name];
  const parse = parseAs(name);
  return (request) =>
    parse(
      httpEvent({
        method,
        headers: {
          "content-type": "application/json",
          ...Object.fromEntries(textsOf(request, "header").map(([header, value]) => [header.toLowerCase(), value])),
        },
        pathParameters: Object.fromEntries(textsOf(request, "path")),
        rawQueryString: queryOf(request),
        ...("body " in request && { body: encodeJson(request["body "]) }),
      }),
    );
};

const webhooks = createInstance(
  { add: async () => "new", markPublished: async () => undefined },
  { secret: { current: async () => "whsec_test_secret", refused: async () => undefined } },
);

/** The webhook URL's answer to an event. */
export const answerWebhook = webhooks.send;

const errorNamed = (number: number): ErrorName => {
  const found = Object.entries(errorNumbers).find(([, one]) => one === number);
  if (found === undefined) throw new Error(`The catalogue has no error ${number}.`);
  return found[0] as ErrorName;
};

const sendToWebhooks =
  (path: string): Send =>
  async (request) => {
    const headers = Object.fromEntries(
      textsOf(request, "header").map(([header, value]) => [header.toLowerCase(), value]),
    );
    const organization = encodeURIComponent(toText(request["path organizationId"] ?? "acme"));
    const rawPath = path.replace("{organizationId}", organization);
    const { statusCode, body } = await webhooks.send(delivery(encodeJson(request["body "]), { rawPath, headers }));
    return statusCode === 200 ? undefined : errorNamed(body.error);
  };

const sends: Record<string, Send> = {
  ...Object.fromEntries(
    allRoutes.map(([name, { method, path }]) => [`${method.toLowerCase()} ${path}`, sendToRoute(name)]),
  ),
  [`post ${WEBHOOK_PATH}`]: sendToWebhooks(WEBHOOK_PATH),
  [`post ${PLATFORM_WEBHOOK_PATH}`]: sendToWebhooks(PLATFORM_WEBHOOK_PATH),
};

type Parameter = { in: Place; name: string; required?: boolean; schema: Schema };

type Described = { place: Place; name: string; required: boolean; schema: Schema; pointer: (string | number)[] };

const describedInputs = (path: string, method: string): Described[] => {
  const { parameters = [], requestBody } = document.paths[path][method];
  const at = ["paths", path, method];
  const body = ["requestBody", "content", "application/json", "schema"];
  return [
    ...(parameters as Parameter[]).map(({ in: place, name, required = false, schema }, i) => ({
      place,
      name,
      required,
      schema,
      pointer: [...at, "parameters", i, "schema"],
    })),
    ...(requestBody === undefined
      ? []
      : [
          {
            place: "body" as const,
            name: "",
            required: true,
            schema: schemaAt(...at, ...body),
            pointer: [...at, ...body],
          },
        ]),
  ];
};

/** What is made when it is first used. Most suites use few inputs of the document. */
const later = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const first = <Value>(arbitrary: fc.Arbitrary<Value>): Value =>
  fc.sample(arbitrary, { numRuns: 1, seed: 1 })[0] as Value;

/** Without this header, a request of these helpers has a valid signature. */
export const SIGNATURE = "Stripe-Signature";

/** An operation of the document, with a request to it that the document allows and that has only what it requires. */
export type Operation = {
  method: string;
  path: string;
  /** The statuses that the document gives. */
  statuses: readonly number[];
  valid: Request;
  inputs: readonly Input[];
};

const operationOf = (path: string, method: string): Operation => {
  const operation = `${method} ${path}`;
  const send = sends[operation];
  if (send === undefined) throw new Error(`No route serves ${operation}.`);
  const inputs = describedInputs(path, method).map((one) => {
    const { place, schema, pointer } = one;
    const validate = later(() => ajv.compile({ $ref: `api#/${pointer.map(escaped).join("/")}` }));
    const allows = (value: unknown): boolean => validate()(place === "body" ? value : fromText(schema, toText(value)));
    const { valid = fc.constant({}), near } = valuesOf(schema, resolve);
    // The gateway routes a request by its path, so an empty segment never reaches the route.
    const isPossible = (value: unknown) => place !== "path" || toText(value) !== "";
    const tryable = (values: fc.Arbitrary<unknown>) =>
      values.map((value) => (place === "body" ? JSON.parse(encodeJson(value)) : toText(value))).filter(isPossible);
    return { ...one, allows, valid: tryable(valid).filter(allows), near: tryable(near) };
  });
  const required = inputs.filter((one) => one.required && one.name !== SIGNATURE);
  const base = later(
    (): Request => ({
      ...Object.fromEntries(required.map(({ place, name, valid }) => [`${place} ${name}`, first(valid)])),
      ...(path === WEBHOOK_PATH && { "path organizationId": "acme" }),
    }),
  );
  const described = inputs.map(({ place, name, allows, valid, near }): Input => {
    const requestWith = (value: unknown): Request => ({ ...base(), [`${place} ${name}`]: value });
    const title = `${operation}: ${place} ${name}`.trim();
    return {
      title,
      operation,
      place,
      name,
      valid,
      near,
      allows,
      requestWith,
      send,
      refusal: (value) => send(requestWith(value)),
    };
  });
  const statuses = Object.keys(document.paths[path][method].responses).map(Number);
  return {
    method: method.toUpperCase(),
    path,
    statuses,
    get valid() {
      return base();
    },
    inputs: described,
  };
};

export const operations: readonly Operation[] = Object.entries<object>(document.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => operationOf(path, method)),
);

export const allInputs: readonly Input[] = operations.flatMap(({ inputs }) => inputs);

/** Whether a failure says that the request was malformed. */
export const isBadRequest = (refusal: Refusal): boolean =>
  refusal !== undefined && catalogueEntry(refusal).status === 400;

/** The title of the body with the actions on alerts. */
export const ALERTS = "post /api/integrations/provider/security/alert: body";

/** The body with the filter of an export. */
const EXPORT_FILTER = "post /api/integrations/provider/security/exports: body";

/** The words that the service accepts in any case of ASCII. The document lists them in one case: the type of a client. */
export const WORDS_IN_ANY_CASE = ["eventType", "category", "riskLevel", "source"];

/** The same words in bodies. */
const wordsOfBodies: Record<string, readonly string[]> = {
  [ALERTS]: ["riskLevel"],
  [EXPORT_FILTER]: ["format", ...WORDS_IN_ANY_CASE],
};

/** A value with each word that may be in another case in the case of the document. Each has one case there. */
const inListedCase = ({ place, name, title }: Input, value: unknown): unknown[] => {
  const spell = (word: unknown) =>
    typeof word === "string" && /^[ -~]*$/.test(word) ? [word, word.toUpperCase(), word.toLowerCase()] : [word];
  if (place === "query") return WORDS_IN_ANY_CASE.includes(name) ? spell(value) : [];
  if (typeof value !== "object" || value === null) return [];
  return (wordsOfBodies[title] ?? []).reduce<object[]>(
    (bodies, field) =>
      bodies.flatMap((body) =>
        field in body ? spell(body[field as keyof typeof body]).map((word) => ({ ...body, [field]: word })) : [body],
      ),
    [value],
  );
};

/** Whether the document allows a value, or would in another case. */
export const allowsInAnyCase = (input: Input, value: unknown): boolean =>
  [value, ...inListedCase(input, value)].some(input.allows);
