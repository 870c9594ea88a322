import type { PolicyStatement, StackModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { parseOperator } from "./conditions.ts";
import { isArnPattern } from "./wildcard.ts";

/**
 * The condition keys that a request here carries wherever AWS would, in lower case. A key that is not here would be
 * absent, and a Deny on it would never hold; so such a policy stops the start.
 */
const conditionKeys = new Set([
  "aws:principalaccount",
  "aws:principalarn",
  "aws:principaltype",
  "aws:requestedregion",
  "aws:securetransport",
  "aws:sourceaccount",
  "aws:sourcearn",
  "dynamodb:enclosingoperation",
  "dynamodb:leadingkeys",
  "events:detail-type",
  "events:source",
  "kms:calleraccount",
  "kms:encryptioncontextkeys",
  // Only what a service of AWS asks of KMS by itself has it, and nothing here does.
  "kms:viaservice",
  "lambda:functionurlauthtype",
  "lambda:invokedviafunctionurl",
]);

/** The rest of the key is one of the context's own. */
const ENCRYPTION_CONTEXT = "kms:encryptioncontext:";

const isConditionKey = (key: string): boolean => conditionKeys.has(key) || key.startsWith(ENCRYPTION_CONTEXT);

const problemWith = (statement: PolicyStatement): string | undefined => {
  const { Action, NotAction, Resource, NotResource, Condition = {} } = statement;
  if ((Action === undefined) === (NotAction === undefined)) return "has not exactly one of Action and NotAction";
  if (Resource !== undefined && NotResource !== undefined) return "has both Resource and NotResource";
  const resources = [Resource ?? NotResource ?? []].flat();
  const malformed = resources.find((resource) => resource !== "*" && !isArnPattern(resource));
  if (malformed !== undefined) return `names ${malformed}, which is no ARN`;
  for (const [operator, keys] of Object.entries(Condition)) {
    if (parseOperator(operator) === undefined)
      return `uses the condition operator ${operator}, which is not understood`;
    const unknown = Object.keys(keys).find((key) => !isConditionKey(key.toLowerCase()));
    if (unknown !== undefined) return `uses the condition key ${unknown}, which is not understood`;
  }
  const texts = [resources, ...Object.values(Condition).flatMap((keys) => Object.values(keys))].flat();
  const variable = texts.find((text) => text.includes("${"));
  return variable === undefined ? undefined : `uses the policy variable in ${variable}, which is not understood`;
};

const problemInRole = ({ Resource, NotResource }: PolicyStatement): string | undefined =>
  Resource === undefined && NotResource === undefined ? "has neither Resource nor NotResource" : undefined;

const problemInResource = ({ Principal }: PolicyStatement): string | undefined =>
  Principal === undefined ? "has no Principal" : undefined;

/**
 * Refuses what the evaluator would judge otherwise than IAM.
 * @throws TemplateError naming the role, the resource whose policy it is, or the function without a role.
 */
export const checkPolicies = ({ functions, roles, resourcePolicies }: StackModel): void => {
  for (const { logicalId, roleArn } of functions) {
    if (!roles.some(({ arn }) => arn === roleArn)) {
      throw new TemplateError(logicalId, `its role ${roleArn} is not in the template, so its rights are not known`);
    }
  }
  const policies = [
    ...roles.map(({ logicalId, statements }) => ({ owner: logicalId, statements, ofRole: true })),
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
