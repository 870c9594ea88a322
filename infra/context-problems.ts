/** Words the mistakes in a deployment's context, one sentence each. */
import type { z } from "zod";
import { closestOf } from "./closest.ts";

/** The deployment's context cannot be used. The message is all that its operator needs. */
export class ContextError extends Error {}

/** Longer values are cut in a sentence. */
const MAX_VALUE_LENGTH = 80;

/** A value as it was given, short enough for a sentence. */
export const quote = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)} …` : text;
};

/** `a, b or c`. */
export const orList = (words: readonly string[]): string => words.join(", ").replace(/, ([^,]*)$/, " or $1");

const unknownKey = (key: string, keys: readonly string[]): string => {
  const closest = closestOf(key, keys);
  return closest === undefined
    ? `the context key ${key} does not exist: the keys are ${[...keys].sort().join(", ")}`
    : `the context key ${key} does not exist: use ${closest}, or leave it out`;
};

/**
 * One line for each mistake.
 * @param keys all keys that exist
 * @param nameOf how the operator gave a key, such as "the environment variable ROLE_CLAIM"
 */
export const describeProblems = (
  issues: readonly z.core.$ZodIssue[],
  context: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  nameOf: (key: string) => string,
): string => {
  const lines = issues.flatMap((issue) => {
    const [key] = issue.path;
    if (key !== undefined) return [`${nameOf(String(key))} is ${quote(context[String(key)])}: ${issue.message}`];
    return issue.code === "unrecognized_keys" ? issue.keys.map((one) => unknownKey(one, keys)) : [issue.message];
  });
  return [...new Set(lines)].join("\n");
};
