import { writeFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { catalogueEntry } from "../../../shared/terms/error-catalogue.ts";
import { closestOf } from "../../closest.ts";
import { mintToken } from "./mint-token.ts";
import { type Ask, INTEGRATION, readArguments } from "./read-arguments.ts";
import { type Paint, showJson } from "./show-json.ts";
import { type RunningStack, requireRunning } from "./stack-file.ts";

/** What a command reads and writes in addition to its arguments. */
export type AskTerminal = {
  /** Undefined if no local cloud has written its file. */
  stack: RunningStack | undefined;
  /** Whether the answer is for a person: then status, headers and readable times are part of it. */
  isTerminal: boolean;
  paint: Paint;
  writeOut: (text: string | Uint8Array) => void;
  writeError: (text: string) => void;
};

/** Headers that say what to do next. */
const TELLING_HEADERS = ["x-request-id", "link", "retry-after", "allow", "www-authenticate", "location"];

/** The local cloud's clock; undefined if the control server does not say. */
const clockOf = async ({ controlUrl }: RunningStack): Promise<number | undefined> => {
  const answer: unknown = await fetch(`${controlUrl}/`).then(
    (response) => response.json(),
    () => undefined,
  );
  const isState = typeof answer === "object" && answer !== null && "now" in answer;
  return isState && typeof answer.now === "number" ? answer.now : undefined;
};

const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Finds a value by names and indexes with dots between them; `last` is an index, too.
 * @returns its text: a string without its quotes, anything else as JSON
 * @throws Error in one line that names the fields that exist.
 */
const picked = (text: string, path: string): string => {
  if (!isJsonText(text)) throw new Error(`--pick ${path}: the answer is not JSON`);
  // A number's source text keeps all digits.
  let value: unknown = JSON.parse(text, (_name, part: unknown, context?: { source?: string }) =>
    typeof part === "number" && !Number.isSafeInteger(part) ? JSON.rawJSON(context?.source ?? String(part)) : part,
  );
  for (const step of path.split(".")) {
    const known = typeof value === "object" && value !== null ? Object.entries(value) : [];
    const found = Array.isArray(value) && step === "last" ? known.at(-1) : known.find(([name]) => name === step);
    if (found === undefined) {
      const names = known.map(([name]) => name).slice(0, 12);
      throw new Error(`--pick ${path}: the answer has no ${step}; there is: ${names.join(", ") || "nothing"}`);
    }
    value = found[1];
  }
  return typeof value === "string" ? value : JSON.stringify(value);
};

const LINE_FEED = 10;
const UNKNOWN_PATH = catalogueEntry("route_not_found").number;

/** A path as people type it. */
const shortPath = (path: string) => (path.startsWith(INTEGRATION) ? path.slice(INTEGRATION.length) : path);

/** The paths of the API, with the segments of `given` in place of parameters. */
const pathsLike = async (given: string, { apiUrl }: RunningStack): Promise<string[]> => {
  const document: unknown = await fetch(`${apiUrl}/openapi.json`).then(
    (response) => response.json(),
    () => undefined,
  );
  const paths = typeof document === "object" && document !== null && "paths" in document ? document.paths : undefined;
  const segments = given.split("/");
  return Object.keys(paths ?? {}).map((path) => {
    const parts = shortPath(path).split("/");
    if (parts.length !== segments.length) return shortPath(path);
    return parts.map((part, index) => (part.startsWith("{") ? (segments[index] ?? part) : part)).join("/");
  });
};

/** What to write in place of a path that the API does not know. */
const hintOf = async (ask: Ask, body: string, stack: RunningStack): Promise<string | undefined> => {
  if (ask.server !== "api" || !body.includes(`${UNKNOWN_PATH}`)) return undefined;
  const given = shortPath(ask.path.replace(/\?.*$/s, ""));
  const meant = closestOf(given, await pathsLike(given, stack));
  return meant === undefined
    ? `${stack.apiUrl}/docs shows all paths; one without a slash in front is below ${INTEGRATION}.`
    : `Did you mean ${meant}?`;
};

const exitCodeOf = (status: number) => (status < 400 ? 0 : status < 500 ? 4 : 5);

const show = async (
  ask: Ask,
  { stack, status, headers, body, elapsedMs }: Answered,
  terminal: AskTerminal,
): Promise<void> => {
  const { paint, writeOut, writeError } = terminal;
  const isPretty = ask.pick === undefined && (ask.show === "pretty" || (ask.show !== "raw" && terminal.isTerminal));
  const say = isPretty ? writeOut : writeError;
  const caller = ask.caller === undefined ? [] : [`as ${ask.caller.name}`];
  const reason = STATUS_CODES[status] ?? "";
  const head = [`${ask.method} ${ask.path}`, ...caller, `${elapsedMs} ms`].join("  ");
  const title = paint(status < 300 ? "green" : status < 400 ? "yellow" : "red", `${status} ${reason}`.trim());
  if (isPretty || ask.showHeaders || status >= 400) say(`${paint("bold", title)}  ${head}\n`);
  const names = ask.showHeaders ? [...headers.keys()] : isPretty ? TELLING_HEADERS : [];
  for (const name of names) if (headers.has(name)) say(paint("dim", `${name}: ${headers.get(name)}\n`));
  // The OpenAPI document contains the number, too.
  const hint = status < 400 ? undefined : await hintOf(ask, body.toString("utf8"), stack);
  if (hint !== undefined) writeError(`${hint}\n`);

  const isJson = isJsonText(body.toString("utf8"));
  if (ask.output !== undefined && status < 400) {
    writeFileSync(ask.output, body);
    writeError(`${body.length} bytes are in ${pathToFileURL(resolve(ask.output)).href}\n`);
  } else if (ask.pick !== undefined && status < 400) writeOut(`${picked(body.toString("utf8"), ask.pick)}\n`);
  else if (!isPretty) {
    writeOut(body);
    if (isJson && body.at(-1) !== LINE_FEED) writeOut("\n");
  } else if (isJson) writeOut(`\n${showJson(body.toString("utf8"), await clockOf(stack), paint)}\n`);
  else if (body.length > 0) {
    const type = headers.get("content-type") ?? "no content type";
    writeOut(/^text\/plain/.test(type) ? `\n${body}\n` : `${body.length} bytes of ${type}: save them with -o FILE\n`);
  }
};

type Answered = { stack: RunningStack; status: number; headers: Headers; body: Buffer; elapsedMs: number };

const send = async (ask: Ask, stack: RunningStack): Promise<Answered> => {
  const base = stack[`${ask.server}Url`];
  if (base === undefined) throw new Error(`the local cloud has no server ${ask.server}`);
  const { method, headers, body, caller } = ask;
  if (caller !== undefined) {
    headers.set("authorization", `Bearer ${await mintToken(stack.issuerUrl, caller.token)}`);
  }
  const startedAt = performance.now();
  const init: RequestInit = { method, headers, redirect: "manual", ...(body !== undefined && { body }) };
  const response = await fetch(base + ask.path, init).catch((error: Error) => {
    throw new Error(`${base} does not answer: ${error.cause instanceof Error ? error.cause.message : error.message}`);
  });
  const received = Buffer.from(await response.arrayBuffer());
  const elapsedMs = Math.round(performance.now() - startedAt);
  return { stack, status: response.status, headers: response.headers, body: received, elapsedMs };
};

/**
 * Runs `npm run ask` with its arguments.
 * @returns the exit code: 0 for an answer below 400, 4 and 5 for one of 400 and of 500 on; undefined if help is asked for
 * @throws Error in one line if no request can be sent.
 */
export const runAsk = async (args: readonly string[], terminal: AskTerminal): Promise<number | undefined> => {
  const ask = readArguments(args);
  if (ask === undefined) return undefined;
  const answered = await send(ask, requireRunning(terminal.stack));
  await show(ask, answered, terminal);
  return exitCodeOf(answered.status);
};
