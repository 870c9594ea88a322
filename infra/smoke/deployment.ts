/** The deployment under check, seen from outside: its addresses, a caller's token, and requests with a time limit. */
import * as z from "zod";
import { catalogueEntry, type ErrorName } from "../../shared/terms/error-catalogue.ts";

/** A check's failure: one sentence that says what was expected and what came instead. */
export class Mismatch extends Error {
  override readonly name: string = "Mismatch";
}

export class NoAnswer extends Mismatch {
  override readonly name = "NoAnswer";
}

/** Longer than any time limit of the service. */
const PATIENCE_MS = 30_000;

const ErrorBody = z.strictObject({ error: z.int(), message: z.string().min(1) });

export type Answer = { status: number; headers: Headers; text: string; json: unknown };

type Parts = { method?: string; token?: string; body?: unknown; headers?: Record<string, string> };

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
};

/** Sends one request. @throws NoAnswer if none comes in time. */
export const send = async (url: string, { method = "GET", token, body, headers }: Parts = {}): Promise<Answer> => {
  try {
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parseJson(text) };
  } catch (error) {
    throw new NoAnswer(`${method} ${url} got no answer: ${causeOf(error)}`);
  }
};

const excerpt = (text: string) => (text.length > 120 ? `${text.slice(0, 120)} …` : text) || "no body";

/** @throws Mismatch if the answer has another status. */
export const expectStatus = (answer: Answer, ...expected: readonly number[]): void => {
  if (expected.includes(answer.status)) return;
  throw new Mismatch(`expected ${expected.join(" or ")}, got ${answer.status}: ${excerpt(answer.text)}`);
};

/** @throws Mismatch if the answer is not this failure of the error catalogue, in the documented shape. */
export const expectError = (answer: Answer, name: ErrorName): void => {
  const { status, number } = catalogueEntry(name);
  expectStatus(answer, status);
  const { data } = ErrorBody.safeParse(answer.json);
  if (data?.error === number) return;
  throw new Mismatch(`expected {"error":${number},"message":…}, got ${excerpt(answer.text)}`);
};

/** @throws Mismatch if the body does not have the schema's shape. */
export const expectBody = <Body>(answer: Answer, schema: z.ZodType<Body>, shape: string): Body => {
  expectStatus(answer, 200);
  const { data } = schema.safeParse(answer.json);
  if (data === undefined) throw new Mismatch(`expected ${shape}, got ${excerpt(answer.text)}`);
  return data;
};
