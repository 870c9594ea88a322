import type * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";

const MAX_MESSAGE_CHARACTERS = 500;

/** What is said of a value of another type where its schema says nothing of its own: `expected an object`. */
const expectedType: z.core.$ZodErrorMap = (issue) =>
  issue.code === "invalid_type"
    ? `expected ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`
    : undefined;

/**
 * Parses a part of a request by its schema. Unknown fields are dropped by the schema.
 * @param part what to call the whole where an issue has no path, such as `body`.
 * @throws DomainError `invalid_field` that says for each field what was expected.
 */
export const parseFields = <Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  part: string,
): z.output<Schema> => {
  const result = schema.safeParse(value, { error: expectedType });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".") || part}: ${message}`);
  throw new DomainError("invalid_field", problems.join("; ").slice(0, MAX_MESSAGE_CHARACTERS));
};
