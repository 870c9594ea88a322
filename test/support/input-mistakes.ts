/**
 * Every operation of the OpenAPI document × every kind of mistake in path, method, query, headers and body, as a client
 * sends it, and how an answer may look. In test/shared/api/inputs.test.ts the parsers answer, in
 * test/http/mistakes.deep.test.ts the whole service.
 */
import { PLATFORM_WEBHOOK_PATH, WEBHOOK_PATH } from "../../shared/api/webhook-operation.ts";
import { encodeJson } from "../../shared/json/encode-json.ts";
import { type Operation, operations, pathOf, textsOf } from "./input-contract.ts";

export type Mistake = {
  title: string;
  /** The webhook URL has another address. */
  isWebhook: boolean;
  method: string;
  /** Path and query as sent. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
  /** The operation that the request reaches; undefined if it reaches another one, or none. */
  operation: Operation | undefined;
  /** The statuses that the contract gives; undefined if any documented one will do. */
  expected: readonly number[] | undefined;
  /** The methods of the path, for 405. */
  allow?: readonly string[];
  /** Whether a token or a store decides, so that a parser alone cannot answer. */
  needsService?: true;
};

/** What is wrong with an answer. @param answer.status undefined if a parser accepts the request. */
export const problemsOf = (
  { expected, operation, allow }: Mistake,
  answer: { status: number | undefined; allow?: string | undefined },
): string[] => {
  const { status } = answer;
  const sorted = (methods: readonly string[]) => [...methods].sort().join(", ");
  return [
    ...(status !== undefined && status >= 500 ? [`${status}`] : []),
    ...(expected === undefined || expected.some((one) => one === status)
      ? []
      : [`${status}, not ${expected.join(", ")}`]),
    ...(operation === undefined || status === undefined || operation.statuses.includes(status)
      ? []
      : [`${status}, which is not documented`]),
    ...(allow === undefined || sorted(allow) === sorted((answer.allow ?? "").split(", "))
      ? []
      : [`Allow: ${answer.allow}, not ${allow.join(", ")}`]),
  ];
};

const INTEGRATION = "/api/integrations/provider";
const JSON_BODY = { "content-type": "application/json" };

const isWebhook = ({ path }: Operation): boolean => path === WEBHOOK_PATH || path === PLATFORM_WEBHOOK_PATH;
const isIntegration = ({ path }: Operation): boolean => path.startsWith(INTEGRATION);
const hasBody = ({ inputs }: Operation): boolean => inputs.some(({ place }) => place === "body");
const takesKey = ({ inputs }: Operation): boolean => inputs.some(({ name }) => name === "Idempotency-Key");

/** Any documented answer: the service may accept the request, ignore the mistake or refuse it. */
const anything = undefined;

/** An id of the right form. */
const UNKNOWN_ID = "01JZZZZZZZZZZZZZZZZZZZZZZZ";

/** Bodies of operations for which the document's own examples of values are refused: it cannot describe time zones. */
const BODIES_OF: Readonly<Record<string, object>> = { [`PUT ${INTEGRATION}/notifications/{id}`]: { name: "sink" } };

/** The operation with a request that nothing but a mistake has refused. */
const prepared = (operation: Operation): Operation => {
  const { method, path, valid } = operation;
  const body = BODIES_OF[`${method} ${path}`];
  const id = isIntegration(operation) && path.includes("{id}") ? { "path id": UNKNOWN_ID } : {};
  const rule = path.includes("{rule}") ? { "path rule": "sync_silence" } : {};
  const size = path.includes("{size}") ? { "path size": "1" } : {};
  return { ...operation, valid: { ...valid, ...id, ...rule, ...size, ...(body && { "body ": body }) } };
};

const request = (operation: Operation, title: string, changes: Partial<Mistake>): Mistake => ({
  title,
  isWebhook: isWebhook(operation),
  method: operation.method,
  target: pathOf(operation.path, operation.valid),
  headers: { ...(hasBody(operation) && JSON_BODY), ...Object.fromEntries(textsOf(operation.valid, "header")) },
  body: hasBody(operation) ? encodeJson(operation.valid["body "]) : undefined,
  operation,
  expected: anything,
  ...changes,
});

/** Ids that have the form of one. */
const UNKNOWN_IDS: Readonly<Record<string, string>> = {
  "an id that does not exist": UNKNOWN_ID,
  "a name of an object's property": "__proto__",
  "another such name": "constructor",
};

/** Texts in place of a path parameter, as sent. */
const SEGMENTS: Readonly<Record<string, string>> = {
  "256 characters": "x".repeat(256),
  "1,100 bytes": "x".repeat(1_100),
  "3,000 bytes": "x".repeat(3_000),
  "wide characters": encodeURIComponent("😀".repeat(300)),
  "a letter beyond ASCII": "%C3%A9",
  "a space": "a%20b",
  "a plus": "a+b",
  "a line break": "a%0Ab",
  "a zero byte": "%00",
  "a control character of two bytes": "a%C2%85",
  "a change of direction": "a%E2%80%AEb",
  "a hash": "a%23b",
  "a percent sign": "a%25b",
  "quotes and braces": "%22%7Bid%7D%22",
  "a backslash": "..%5C..",
};

/** The same with characters that end a segment or a path where the gateway decodes them. */
const SEPARATORS: Readonly<Record<string, string>> = {
  "a slash": "a%2Fb",
  "slashes only": "%2F%2F",
  "dots and a slash": "..%2F..%2Fplants",
};

/** Escapes that are no UTF-8. A gateway that decodes paths answers itself. */
const ESCAPES: Readonly<Record<string, string>> = {
  "a percent sign alone": "%",
  "an escape without digits": "%zz",
  "a surrogate": "%ED%A0%80",
  "an overlong escape": "%C0%AF",
};

const withSegment = ({ path, valid }: Operation, name: string, segment: string): string => {
  const marked = pathOf(path, { ...valid, [`path ${name}`]: "MARK" });
  return marked.replace("MARK", segment);
};

/** What a text that names nothing is in a path. */
const expectedOfSegment = (operation: Operation, name: string): readonly number[] => {
  if (isWebhook(operation)) return [200, 400];
  return isIntegration(operation) && ["id", "rule", "size"].includes(name) ? [404] : [400];
};

const pathMistakes = (operation: Operation): Mistake[] => {
  const names = operation.inputs.filter(({ place }) => place === "path").map(({ name }) => name);
  return names.flatMap((name) => {
    const mistakes = (texts: typeof SEGMENTS, changes: Partial<Mistake>) =>
      Object.entries(texts).map(([title, segment]) =>
        request(operation, `${title} as ${name}`, { target: withSegment(operation, name, segment), ...changes }),
      );
    const expected = expectedOfSegment(operation, name);
    return [
      ...mistakes(UNKNOWN_IDS, { expected, operation: undefined, needsService: true }),
      ...mistakes(SEGMENTS, { expected }),
      ...mistakes({ "a question mark": "a%3Fb" }, { operation: undefined, needsService: true }),
      ...mistakes(SEPARATORS, { operation: undefined, expected: isWebhook(operation) ? [400] : [400, 404, 405] }),
      ...mistakes(ESCAPES, { operation: undefined, expected: [400] }),
    ];
  });
};

const joined = (target: string, query: string): string => `${target}${target.includes("?") ? "&" : "?"}${query}`;

/** Parameters that no operation has. */
const UNKNOWN_PARAMETERS = ["planted=1", "__proto__=1", "constructor=", "limit%5B%5D=1", "%zz=1", "=1", "%00=1"];

const queryMistakes = (operation: Operation): Mistake[] => {
  const target = pathOf(operation.path, operation.valid);
  const withQuery = (query: string, expected: Mistake["expected"]) =>
    request(operation, `the query ${query.slice(0, 40)}`, { target: joined(target, query), expected });
  const names = operation.inputs.filter(({ place }) => place === "query").map(({ name }) => name);
  // The link is opened first: a forged one is 404.
  const refused = operation.path.endsWith("/page") ? [400, 404] : isIntegration(operation) ? [400] : anything;
  return [
    ...UNKNOWN_PARAMETERS.map((query) => withQuery(query, refused)),
    ...names.flatMap((name) => [
      ...[`${name}=`, `${name}=1&${name}=1`, `${name}=%zz`, `${name}=%ED%A0%80`].map((query) =>
        withQuery(query, [400]),
      ),
      ...[`${name}=${"x".repeat(4_000)}`, `${name}=%00`, `${name}=😀`, `${name}=1e400`].map((query) =>
        withQuery(encodeURI(decodeURI(query)), anything),
      ),
    ]),
  ];
};

const KEYS = ["", " ", "a b", "x".repeat(256), "é"];

/** Instead of `Bearer` and a token. */
const AUTHORIZATIONS = [
  "",
  "Bearer",
  "Bearer ",
  "Bearer a b",
  "Bearer \u00e9",
  "Basic YTpi",
  `Bearer ${"x".repeat(6_000)}`,
];

const needsToken = ({ statuses, path }: Operation): boolean => statuses.includes(401) && !/\/(?:page|link)$/.test(path);

const headerMistakes = (operation: Operation): Mistake[] => {
  const withHeaders = (title: string, headers: Record<string, string>, expected: Mistake["expected"] = anything) => {
    const usual = request(operation, `the header ${title}`, { expected });
    return { ...usual, headers: { ...usual.headers, ...headers } };
  };
  const authorizations = needsToken(operation) ? AUTHORIZATIONS : [];
  const types = ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "json", ""];
  return [
    ...KEYS.map((key) =>
      withHeaders(
        `Idempotency-Key: ${JSON.stringify(key.slice(0, 9))}`,
        { "Idempotency-Key": key },
        takesKey(operation) ? [400] : anything,
      ),
    ),
    ...types.map((type) =>
      withHeaders(
        `Content-Type: ${type}`,
        { "content-type": type },
        hasBody(operation) && !isWebhook(operation) ? [415] : anything,
      ),
    ),
    ...authorizations.map(
      (authorization): Mistake => ({
        ...withHeaders(`Authorization: ${authorization.slice(0, 12)}`, { authorization }, [401]),
        needsService: true,
      }),
    ),
    withHeaders("Content-Encoding: gzip", { "content-encoding": "gzip" }),
    ...["text/html;q=x", "*", ",;", "text/html"].map((accept) => withHeaders(`Accept: ${accept}`, { accept })),
    ...["[", "a:b:c", "a/b?c", "é"].map((host) => withHeaders(`Host: ${host}`, { host })),
    withHeaders("X-Forwarded-For", { "x-forwarded-for": "no address" }),
    withHeaders("X-Forwarded-Proto", { "x-forwarded-proto": "no protocol" }),
    withHeaders("Cookie", { cookie: "__Host-a=b; ; =" }),
    withHeaders("User-Agent", { "user-agent": "\u00e9".repeat(3_000) }),
  ];
};

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Bodies that are not JSON, or not an object. */
const BODIES: Readonly<Record<string, string | Uint8Array>> = {
  "a space": " ",
  "a brace": "{",
  "a byte-order mark": "\uFEFF{}",
  "bytes that are no UTF-8": new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  "a surrogate": '{"a":"\\ud800"}',
  null: "null",
  "a boolean": "true",
  "a number": "1",
  "a text": '"text"',
  "a list": "[]",
  "lists in lists": deep("[", "]", 30_000),
};

/** Values in place of a field of a valid body, as JSON. */
const VALUES: Readonly<Record<string, string>> = {
  null: "null",
  "a list": "[]",
  "an object": '{"__proto__":{"a":1}}',
  "an empty text": '""',
  "a zero byte": '"\\u0000"',
  "60,000 characters": JSON.stringify("x".repeat(60_000)),
  "1e400": "1e400",
  "-0": "-0",
  "40 digits": "9".repeat(40),
  "objects in objects": deep('{"a":', "}", 5_000).replace("}", "1}"),
};

const bodyMistakes = (operation: Operation): Mistake[] => {
  if (!hasBody(operation)) {
    return [request(operation, "a body that it does not take", { body: "{", headers: JSON_BODY })];
  }
  const valid = (operation.valid["body "] ?? {}) as Record<string, unknown>;
  const text = encodeJson(valid);
  const with64KiB = `${text}${" ".repeat(65_536)}`;
  const fieldWith = (name: string, value: string) =>
    encodeJson({ ...valid, [name]: "MARK" }).replace('"MARK"', () => value);
  return [
    request(operation, "no body", { body: undefined, headers: {} }),
    ...Object.entries(BODIES).map(([title, body]) =>
      request(operation, `the body ${title}`, { body, expected: [400] }),
    ),
    request(operation, "a body over 64 KiB", { body: with64KiB, expected: isWebhook(operation) ? anything : [413] }),
    request(operation, "a field __proto__", { body: text.replace("{", '{"__proto__":{"a":1},') }),
    request(operation, "a field twice", { body: text.replace("{", '{"id":null,"reason":null,') }),
    ...Object.keys(valid).flatMap((name) =>
      Object.entries(VALUES).map(([title, value]) =>
        request(operation, `${title} as ${name}`, { body: fieldWith(name, value) }),
      ),
    ),
  ];
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Methods that a path does not have, and paths that nothing has. */
const routeMistakes = (operation: Operation): Mistake[] => {
  const allow = operations.filter(({ path }) => path === operation.path).map(({ method }) => method);
  const [path = ""] = pathOf(operation.path, operation.valid).split("?");
  const others = METHODS.filter((method) => !allow.includes(method));
  const nowhere = isWebhook(operation)
    ? []
    : [`${path}/`, `/${path}`, path.replace("/", "//"), `${path}/planted/planted/planted`];
  return [
    ...others.map((method) =>
      request(operation, `the method ${method}`, {
        method,
        target: path,
        body: undefined,
        headers: {},
        operation: undefined,
        expected: [405],
        allow,
      }),
    ),
    ...nowhere.map((target) =>
      request(operation, `the path ${target}`, { target, operation: undefined, expected: [404] }),
    ),
  ];
};

/** @param operation of `operations`. */
export const mistakesOf = (operation: Operation): readonly Mistake[] => {
  const own = prepared(operation);
  return [pathMistakes, queryMistakes, headerMistakes, bodyMistakes, routeMistakes].flatMap((kind) => kind(own));
};
