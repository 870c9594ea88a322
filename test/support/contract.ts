import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { routesOf } from "../../shared/http/path-match.ts";
import type { Contract } from "./contract-document.ts";
import { askShared, isShared } from "./shared-server.ts";

/** As JSON, in which the limits of 64 bits are numbers. */
const readContract = async (): Promise<Contract> => {
  if (isShared()) return askShared<Contract>("contract");
  const { createContract } = await import("./contract-document.ts");
  return JSON.parse(JSON.stringify(createContract()));
};

const { document, table, webhookPaths } = await readContract();
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "api", ...document });

const pointer = (...parts: (string | number)[]) =>
  `api#/${parts.map((part) => encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;

/** The document's path for a request; undefined if no route matches. */
const documentedPathOf = (method: string, pathname: string): string | undefined =>
  routesOf(table, pathname).find((route) => route.method === method)?.path;

/** The documented answer of an operation. */
const responseOf = (method: string, path: string, status: number) => {
  const operation = document.paths?.[path]?.[method.toLowerCase() as "get"];
  const response = operation?.responses?.[String(status) as "200"];
  if (response === undefined) throw new Error(`${method} ${path} answered ${status}, which is not documented`);
  return response;
};

/** The schema of an answer; undefined if it has no body. */
const schemaOf = (method: string, path: string, status: number): string | undefined =>
  "content" in responseOf(method, path, status)
    ? pointer("paths", path, method.toLowerCase(), "responses", status, "content", "application/json", "schema")
    : undefined;

/** The headers that the document must describe wherever an answer has them. */
const DESCRIBED_HEADERS = ["link", "retry-after", "vary", "www-authenticate", "x-next-cursor", "x-request-id"];

type DescribedHeader = { $ref?: string; required?: boolean };

/** @throws Error if an answer has a header that its description lacks, or lacks a required one. */
const requireHeaders = (
  request: string,
  { status, headers }: Pick<Response, "status" | "headers">,
  described: Readonly<Record<string, DescribedHeader>>,
): void => {
  const components: Readonly<Record<string, DescribedHeader>> = document.components?.headers ?? {};
  const isRequired = ({ $ref }: DescribedHeader) => components[$ref?.split("/").at(-1) ?? ""]?.required === true;
  for (const name of DESCRIBED_HEADERS) {
    const found = described[name];
    if (found === undefined && headers.has(name))
      throw new Error(`${request} answered ${status} with the header ${name}, which is not documented`);
    if (found !== undefined && isRequired(found) && !headers.has(name))
      throw new Error(`${request} answered ${status} without the documented header ${name}`);
  }
};

/** Answers to requests that match no route. */
const UNKNOWN_ROUTE_HEADERS = { "x-request-id": { $ref: "#/components/headers/RequestId" } };

const headersOf = (method: string, path: string, status: number) => {
  const response = responseOf(method, path, status);
  return ("headers" in response ? response.headers : undefined) as Record<string, DescribedHeader>;
};

const requireSchema = (request: string, schema: string | undefined, status: number, body: unknown): void => {
  if (schema === undefined && body === undefined) return;
  // Compiled once per schema, so looked up by name.
  const validate = schema === undefined ? undefined : ajv.getSchema(schema);
  if (validate?.(body)) return;
  const problem = validate === undefined ? "there should be none" : ajv.errorsText(validate.errors);
  throw new Error(`${request} answered ${status} with another body: ${problem}`);
};

/** @throws Error if the OpenAPI document does not describe such an answer. */
export const requireContract = (method: string, pathname: string, response: Response, body: unknown): void => {
  const { status } = response;
  const path = documentedPathOf(method, pathname);
  const schema = path === undefined ? pointer("components", "schemas", "Error") : schemaOf(method, path, status);
  const request = `${method} ${pathname}`;
  requireSchema(request, schema, status, body);
  requireHeaders(request, response, path === undefined ? UNKNOWN_ROUTE_HEADERS : headersOf(method, path, status));
};

/** The same for an answer to a POST to the webhook URL. */
export const requireWebhookContract = (response: Response, body: unknown): void => {
  const { url, status } = response;
  const { own, platform } = webhookPaths;
  const path = new URL(url).pathname === platform ? platform : own;
  requireSchema("The webhook URL", schemaOf("POST", path, status), status, body);
  requireHeaders("The webhook URL", response, headersOf("POST", path, status));
};
