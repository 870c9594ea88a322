import * as z from "zod";

/** `secretsmanager:{id or ARN}:SecretString:{json key}:{stage}:{version}`; an ARN has colons of its own. */
const shape = /^secretsmanager:(arn(?::[^:]*){6}|[^:]+)(?::SecretString(?::([^:]*))?(?::([^:]*))?(?::([^:]*))?)?$/;

/**
 * The text in place of `{{resolve:secretsmanager:…}}`: a secret's value, or one field of it.
 * @param secretValue the value of the secret with this ARN, undefined where the template declares none.
 * @throws Error saying what is not understood.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references-secretsmanager.html
 */
export const secretReference = (reference: string, secretValue: (arn: string) => string | undefined): string => {
  const [match, secretId = "", jsonKey = "", stage = "", version = ""] = shape.exec(reference) ?? [];
  if (match === undefined || version !== "" || !["", "AWSCURRENT"].includes(stage)) {
    throw new Error(`the dynamic reference {{resolve:${reference}}} is not understood`);
  }
  const value = secretValue(secretId);
  if (value === undefined) throw new Error(`the template declares no secret ${secretId}`);
  if (jsonKey === "") return value;
  const field = z.record(z.string(), z.unknown()).parse(JSON.parse(value))[jsonKey];
  if (typeof field !== "string") throw new Error(`the secret ${secretId} has no text in ${jsonKey}`);
  return field;
};
