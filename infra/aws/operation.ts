/** Operations of AWS's APIs in the three protocols of its services: how a request is written, and what is read of its answer. */
import type * as z from "zod";

/** The members of an input. */
export type Input = Readonly<Record<string, unknown>>;

export type Operation<Given extends Input, Output> = {
  /** The beginning of the endpoint's name, such as `email` for SES. */
  endpoint: string;
  /** The service's name in signatures. */
  signingName: string;
  /** The name of the operation, as in its permission. */
  name: string;
  request: (input: Given) => {
    method: "GET" | "POST";
    path: string;
    query?: Readonly<Record<string, string>>;
    headers?: Readonly<Record<string, string>>;
    body?: string;
  };
  format: "json" | "xml";
  /** The members that are read. */
  output: z.ZodType<Output>;
};

type Service = { endpoint: string; signingName?: string };
type Posted = Pick<ReturnType<Operation<Input, unknown>["request"]>, "headers" | "body">;

/** Operations that are all posted to one address. @param post the request with a name and an input. */
const postedOperations =
  (
    { endpoint, signingName = endpoint }: Service,
    format: Operation<Input, unknown>["format"],
    post: (name: string, input: Input) => Posted,
  ) =>
  <Output>(name: string, output: z.ZodType<Output>): Operation<Input, Output> => ({
    endpoint,
    signingName,
    name,
    request: (input) => ({ method: "POST", path: "/", ...post(name, input) }),
    format,
    output,
  });

/** An operation of a service with JSON at one address, such as Certificate Manager. */
export const jsonOperations = ({ target, ...service }: Service & { target: string }) =>
  postedOperations(service, "json", (name, input) => ({
    headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": `${target}.${name}` },
    body: JSON.stringify(input),
  }));

/** `{ A: "x", B: ["y", { C: "z" }] }` as `A=x`, `B.member.1=y` and `B.member.2.C=z`. */
const flatten = (value: unknown, name: string): [string, string][] => {
  if (Array.isArray(value)) return value.flatMap((item, index) => flatten(item, `${name}.member.${index + 1}`));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, item]) => flatten(item, name === "" ? key : `${name}.${key}`));
  return [[name, String(value)]];
};

/** An operation of a service of AWS's query protocol, such as CloudFormation. Its answer is XML. */
export const queryOperations = ({ version, ...service }: Service & { version: string }) =>
  postedOperations(service, "xml", (name, input) => ({
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams([["Action", name], ["Version", version], ...flatten(input, "")]).toString(),
  }));

/** A reading operation of a service with a path for each resource. @param at the path and the query of an input. */
export const pathOperations =
  ({ endpoint, signingName = endpoint, format }: Service & { format: "json" | "xml" }) =>
  <Given extends Input, Output>(
    name: string,
    at: (input: Given) => { path: string; query?: Record<string, string> },
    output: z.ZodType<Output>,
  ): Operation<Given, Output> => ({
    endpoint,
    signingName,
    name,
    request: (input) => ({ method: "GET", ...at(input) }),
    format,
    output,
  });
