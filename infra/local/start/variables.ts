/** Reads the environment variables of commands. An error is one sentence, which names the variable. */
import { quote } from "../../context-problems.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** How all errors name a variable, or an option of the command that stands beside the variables. */
export const nameOfVariable = (name: string): string =>
  name.startsWith("--") ? `the option ${name}` : `the environment variable ${name}`;

export const invalidVariable = (name: string, value: string, expected: string): Error =>
  new Error(`${nameOfVariable(name)} is ${quote(value)}: ${expected}`);

/** An empty variable counts as missing. */
export const readText = (variables: Variables, name: string): string | undefined => variables[name] || undefined;

/** @throws Error that names the variable and the range. */
export const readWholeNumber = (
  variables: Variables,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined => {
  const text = readText(variables, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < min || value > max)
    throw invalidVariable(name, text, `expected a whole number from ${min} to ${max}`);
  return value;
};

/** @throws Error that names the variable and the words. */
export const readWord = <const Word extends string>(
  variables: Variables,
  name: string,
  words: readonly Word[],
): Word | undefined => {
  const text = readText(variables, name);
  const word = words.find((one) => one === text);
  if (text !== undefined && word === undefined) throw invalidVariable(name, text, `expected ${words.join(" or ")}`);
  return word;
};

/** @returns a URL without a trailing slash. @throws Error that names the variable. */
export const readUrl = (variables: Variables, name: string): string | undefined => {
  const text = readText(variables, name);
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw invalidVariable(name, text, "expected a URL such as http://127.0.0.1:8000");
  return text.replace(/\/+$/, "");
};
