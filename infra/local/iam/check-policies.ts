import type { PolicyStatement, StackModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { parseOperator } from "./conditions.ts";
import { isArnPattern } from "./wildcard.ts";

/**
 * The condition keys of requests here, in lower case. A policy with another key stops the start: the key would be
 * absent, so a Deny on it would never hold.
 */
const conditionKeys = new Set([
  "aws:principalaccount",
  "aws:principalarn",
  "aws:principaltype",
  "aws:requestedregion",
  "aws:securetransport",
  "aws:sourceaccount",
  "aws:sourcearn",
  "events:detail-type",
  "events:source",
  "kms:calleraccount",
  "kms:encryptioncontextkeys",
  "lambda:functionurlauthtype",
  "lambda:invokedviafunctionurl",
  "s3:prefix",
  "ses:fromaddress",
  "ses:fromdisplayname",
  "ses:recipients",
]);

/** The rest of the key is a key of the encryption context. */
const ENCRYPTION_CONTEXT = "kms:encryptioncontext:";

const isConditionKey = (key: string): boolean => conditionKeys.has(key) || key.startsWith(ENCRYPTION_CONTEXT);

const problemWith = ({ Resource, Condition = {} }: PolicyStatement): string | undefined => {
  const resources = [Resource ?? []].flat();
  const malformed = resources.find((resource) => resource !== "*" && !isArnPattern(resource));
  if (malformed !== undefined) return `names ${malformed}, which is not an ARN`;
  for (const [operator, keys] of Object.entries(Condition)) {
    if (parseOperator(operator) === undefined) return `uses the condition operator ${operator}, which is not supported`;
    const unknown = Object.keys(keys).find((key) => !isConditionKey(key.toLowerCase()));
    if (unknown !== undefined) return `uses the condition key ${unknown}, which is not supported`;
  }
  const texts = [resources, ...Object.values(Condition).flatMap((keys) => Object.values(keys))].flat();
  const variable = texts.find((text) => text.includes("${"));
  return variable === undefined ? undefined : `uses the policy variable in ${variable}, which is not supported`;
};

const problemInRole = ({ Resource }: PolicyStatement): string | undefined =>
  Resource === undefined ? "has no Resource" : undefined;

const problemInResource = ({ Principal }: PolicyStatement): string | undefined =>
  Principal === undefined ? "has no Principal" : undefined;

/**
 * Refuses policies that the evaluator would judge differently from IAM.
 * @throws TemplateError naming the role, the resource of the policy, or the function without a role.
 */
export const checkPolicies = ({ functions, roles, resourcePolicies }: StackModel): void => {
  for (const { logicalId, roleArn } of functions) {
    if (!roles.some(({ arn }) => arn === roleArn)) {
      throw new TemplateError(logicalId, `its role ${roleArn} is not in the template, so its rights are not known`);
    }
  }
  const policies = [
    ...roles.map(({ logicalId, statements }) => ({ owner: logicalId, statements, ofRole: true })),
    ...roles.map(({ logicalId, trust }) => ({ owner: logicalId, statements: trust, ofRole: false })),
    ...Object.entries(resourcePolicies).map(([owner, statements]) => ({ owner, statements, ofRole: false })),
  ];
  for (const { owner, statements, ofRole } of policies) {
    for (const statement of statements) {
      const problem = (ofRole ? problemInRole(statement) : problemInResource(statement)) ?? problemWith(statement);
      if (problem !== undefined) {
        throw new TemplateError(owner, `the policy statement ${JSON.stringify(statement)} ${problem}`);
      }
    }
  }
};
