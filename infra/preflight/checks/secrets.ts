import { orUndefined } from "../../aws/call-aws.ts";
import { type Check, type Finding, failed, ok, regionOfArn, skipped, type Target } from "../finding.ts";
import { describeSecret, getSecretValue } from "../read-operations.ts";

/** A text, or a list of texts in JSON where a secret may be rolled. Never an object: the functions would read it as a text. */
const isWellFormed = (value: string, { mayBeList }: { mayBeList: boolean }): boolean => {
  if (value.trim() !== value || value === "") return false;
  if (!/^[[{"]/.test(value)) return true;
  try {
    const parsed: unknown = JSON.parse(value);
    return mayBeList && Array.isArray(parsed) && parsed.length > 0 && parsed.every((one) => typeof one === "string");
  } catch {
    return false;
  }
};

const checkOne = async (
  { call, region }: Target,
  key: string,
  arn: string,
  expected: string,
  { mayBeList }: { mayBeList: boolean },
): Promise<Finding> => {
  if (regionOfArn(arn) !== region) {
    return failed(
      `${key} is a secret of ${regionOfArn(arn)}, and functions read it in ${region}.`,
      `aws secretsmanager replicate-secret-to-regions --secret-id ${arn} --add-replica-regions Region=${region}`,
    );
  }
  const description = await orUndefined(call(describeSecret, { SecretId: arn }));
  if (description?.DeletedDate !== undefined) {
    return failed(
      `The secret of ${key} is scheduled for deletion.`,
      `aws secretsmanager restore-secret --secret-id ${arn}`,
    );
  }
  const secret = description && (await orUndefined(call(getSecretValue, { SecretId: arn })));
  if (secret === undefined) {
    return failed(
      `${key} names a secret that does not exist, or that has no value.`,
      "aws secretsmanager create-secret --name … --secret-string file://…",
    );
  }
  // The value stays in memory: no sentence contains any part of it.
  return secret.SecretString !== undefined && isWellFormed(secret.SecretString, { mayBeList })
    ? ok(`The secret of ${key} exists and has the expected form.`)
    : failed(
        `The secret of ${key} does not have the expected form: ${expected}, as plain text without key/value pairs.`,
        `aws secretsmanager put-secret-value --secret-id ${arn} --secret-string file://…`,
      );
};

export const checkSecrets: Check = async (target) => {
  const { providerOauthSecretArn: oauth, platformWebhookSecretArn: webhooks } = target.config;
  const findings: Finding[] = [];
  if (oauth !== undefined)
    findings.push(
      await checkOne(target, "providerOauthSecretArn", oauth, "the client's secret key", { mayBeList: false }),
    );
  if (webhooks !== undefined) {
    const expected = "the signing secret, or a JSON list of signing secrets";
    findings.push(await checkOne(target, "platformWebhookSecretArn", webhooks, expected, { mayBeList: true }));
  }
  return findings.length > 0 ? findings : [skipped("No secret of the platform is given.")];
};
