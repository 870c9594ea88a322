import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { joinNegative, ROLES, tokenOptions, tokenRequest } from "./token-options.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/** A path without a slash in front is below it. */
export const INTEGRATION = "/api/integrations/provider/";
/** The local cloud's servers. Only the API gets a token. */
const SERVERS = ["api", "control", "issuer", "provider", "webhook"] as const;
export type Server = (typeof SERVERS)[number];

/** One request, and how to show its answer. */
export type Ask = {
  method: string;
  server: Server;
  /** From the server's root, with the query. */
  path: string;
  /** As given: 64-bit integers keep their digits. */
  body: string | undefined;
  headers: Headers;
  /** The caller's name, and the body of the issuer's `POST /token`; undefined if no new token is needed. */
  caller: { name: string; token: object } | undefined;
  output: string | undefined;
  /** The path of the only value to print. */
  pick: string | undefined;
  show: "pretty" | "raw" | undefined;
  showHeaders: boolean;
};

/** zsh passes a comment at the end of an interactive line as arguments. */
const withoutComment = (args: readonly string[]) => {
  const comment = args.indexOf("#");
  return comment === -1 ? args : args.slice(0, comment);
};

const targetOf = (given: string): Pick<Ask, "server" | "path"> => {
  const [, name, path] = /^([a-z]+):(\/.*)$/s.exec(given) ?? [];
  if (path?.startsWith("//"))
    throw new Error(`${given}: expected a path such as /plants. ask sends requests only to the running local cloud`);
  if (name !== undefined && path !== undefined) {
    const server = SERVERS.find((one) => one === name);
    if (server === undefined)
      throw new Error(`${given}: there is no server ${name}: expected ${SERVERS.map((one) => `${one}:`).join(", ")}`);
    return { server, path };
  }
  return { server: "api", path: given.startsWith("/") ? given : `${INTEGRATION}${given}` };
};

const reasonOf = (error: unknown) => String(error).replace(/^\w*Error: /, "");

const readBody = (given: string): string => {
  const file = given === "-" ? 0 : given.startsWith("@") ? given.slice(1) : undefined;
  if (file === undefined) return given;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`the body cannot be read from ${file === 0 ? "standard input" : file}: ${reasonOf(error)}`);
  }
};

const checkJson = (text: string) => {
  try {
    JSON.parse(text);
  } catch (error) {
    if (!/^\s*[[{"]/.test(text))
      throw new Error(
        `${text} is neither NAME=VALUE nor JSON. Options need -- before the arguments: npm run ask -- /plants --as acme`,
      );
    throw new Error(`the body is not valid JSON: ${reasonOf(error)}. Put it in single quotes, as in '{"id":1}'`);
  }
};

const headersOf = (given: readonly string[]): Headers => {
  const headers = new Headers();
  for (const one of given) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/.exec(one) ?? [];
    if (name === undefined || value === undefined) throw new Error(`--header ${one}: expected 'NAME: VALUE'`);
    headers.append(name, value);
  }
  return headers;
};

type Who = { as?: string | undefined; org?: string | undefined; role?: string | undefined; user?: string | undefined };

/** The caller's parts: `--as` names one to three of them, and options of their own come first. */
const callerOf = ({ as = "", org, role, user }: Who) => {
  const [asOrg, asRole, asUser, ...more] = as.split("/");
  if (more.length > 0) throw new Error(`--as ${as}: expected ORGANIZATION/ROLE/USER, such as acme/guest/eve`);
  const parts = {
    org: org ?? (as === "" ? "demo" : asOrg),
    role: role ?? (asRole || "admin"),
    user: user ?? (asUser || "ada"),
  };
  if (!ROLES.includes(parts.role))
    throw new Error(
      `there is no role ${parts.role}: expected ${ROLES.join(", ")} (an issuer's own: --claim org_role=NAME)`,
    );
  // An empty organization asks for a token without one.
  return { name: Object.values(parts).join("/"), options: { ...parts, org: parts.org || undefined } };
};

/**
 * Reads the command line of `npm run ask`.
 * @returns undefined if it asks for help
 * @throws Error in one line that says what would be right.
 */
export const readArguments = (args: readonly string[]): Ask | undefined => {
  const { values, positionals } = parseArgs({
    args: joinNegative(withoutComment(args)),
    allowPositionals: true,
    options: {
      ...tokenOptions,
      as: { type: "string" },
      token: { type: "string" },
      "no-token": { type: "boolean" },
      data: { type: "string", short: "d" },
      header: { type: "string", short: "H", multiple: true },
      output: { type: "string", short: "o" },
      pick: { type: "string" },
      headers: { type: "boolean" },
      pretty: { type: "boolean" },
      raw: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help || (positionals.length === 0 && args.length === 0)) return undefined;

  const [first = "", ...others] = positionals;
  const named = METHODS.find((method) => method === first.toUpperCase());
  if (named === undefined && /^[A-Z]+$/.test(first))
    throw new Error(`${first} is no method: expected ${METHODS.join(", ")}`);
  const [path, ...rest] = named === undefined ? [first, ...others] : others;
  if (!path) throw new Error("the path is missing: give one such as /plants or security");
  const query = rest.filter((part) => /^[A-Za-z]\w*=/.test(part));
  const bodies = rest.filter((part) => !query.includes(part));
  if (values.data !== undefined) bodies.push(values.data);
  if (bodies.length > 1) throw new Error(`${bodies.length} bodies are given: put the body in single quotes`);

  const [given] = bodies;
  const body = given === undefined ? undefined : readBody(given);
  const method = named ?? (body === undefined ? "GET" : "POST");
  if (body !== undefined && (method === "GET" || method === "HEAD")) throw new Error(`${method} takes no body`);
  const headers = headersOf(values.header ?? []);
  if (!headers.has("user-agent")) headers.set("user-agent", "ask");
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  if (body !== undefined && /json/.test(headers.get("content-type") ?? "")) checkJson(body);
  if (values.output?.endsWith(".html") && !headers.has("accept")) headers.set("accept", "text/html");
  if (values.token !== undefined) headers.set("authorization", `Bearer ${values.token}`);

  const target = targetOf(path);
  const hasOwnToken = values["no-token"] || headers.has("authorization") || target.server !== "api";
  const { name, options } = callerOf(values);
  const pairs = query.map((part) => part.split(/=(.*)/s, 2).map(encodeURIComponent).join("="));
  const separator = target.path.includes("?") ? "&" : "?";
  return {
    ...target,
    method,
    path: target.path + (pairs.length === 0 ? "" : separator + pairs.join("&")),
    body,
    headers,
    caller: hasOwnToken ? undefined : { name, token: tokenRequest({ ...values, ...options }) },
    output: values.output,
    pick: values.pick,
    show: values.pretty ? "pretty" : values.raw ? "raw" : undefined,
    showHeaders: values.headers ?? false,
  };
};
