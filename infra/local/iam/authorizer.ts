import type { PolicyStatement, StackModel } from "../core/model.ts";
import { checkPolicies } from "./check-policies.ts";
import { type AccessRequest, evaluate, type PrincipalName } from "./evaluate.ts";

/**
 * The caller: a function under its role, an AWS service under a role that it assumes, an AWS service on behalf of one of
 * its resources (`apigateway.amazonaws.com` with the route's sourceArn, `events.amazonaws.com` with the rule's ARN), or
 * the public.
 */
export type Principal =
  | { kind: "anonymous" }
  | { kind: "function"; functionArn: string }
  | { kind: "role"; roleArn: string; service: string }
  | { kind: "service"; service: string; sourceArn: string };

/** An action that must be allowed; the context's keys are condition keys such as `dynamodb:LeadingKeys`. */
export type Check = { action: string; resource: string; context?: Record<string, string[]> };

/** `reason` reads like the end of AWS's own message: "because no identity-based policy allows the … action". */
export type Verdict = { allowed: boolean; reason: string };

export type Authorizer = { judge(request: Check & { principal: Principal }): Verdict };

type Caller = {
  identity: PolicyStatement[] | undefined;
  principals: PrincipalName[];
  context: Record<string, string[]>;
};

/** Function and role name the session, as Lambda does: `assumed-role/{role}/{function}`. */
export const sessionArnOf = (model: StackModel, functionArn: string): string => {
  const found = model.functions.find(({ arn }) => arn === functionArn);
  const roleName = found?.roleArn.split("/").at(-1) ?? "unknown";
  return `arn:aws:sts::${model.accountId}:assumed-role/${roleName}/${found?.name ?? "unknown"}`;
};

const roleCaller = (model: StackModel, roleArn: string, sessionArns: readonly string[]): Caller => {
  const root = `arn:aws:iam::${model.accountId}:root`;
  const names = [roleArn, ...sessionArns, root, model.accountId];
  return {
    identity: model.roles.find(({ arn }) => arn === roleArn)?.statements ?? [],
    principals: names.map((name) => ({ type: "AWS", name })),
    context: {
      "aws:PrincipalArn": [roleArn],
      "aws:PrincipalAccount": [model.accountId],
      "aws:PrincipalType": ["AssumedRole"],
    },
  };
};

const functionCaller = (model: StackModel, functionArn: string): Caller => {
  const roleArn = model.functions.find(({ arn }) => arn === functionArn)?.roleArn ?? "";
  return roleCaller(model, roleArn, [sessionArnOf(model, functionArn)]);
};

/** Whether the role's trust policy lets a service assume the role. */
const mayAssume = (
  { roles }: StackModel,
  roleArn: string,
  service: string,
  context: AccessRequest["context"],
): boolean =>
  evaluate(roles.find(({ arn }) => arn === roleArn)?.trust ?? [], {
    action: "sts:AssumeRole",
    resource: roleArn,
    context,
    principals: [{ type: "Service", name: service }],
  }) === "allow";

const serviceCaller = (model: StackModel, service: string, sourceArn: string): Caller => ({
  identity: undefined,
  principals: [{ type: "Service", name: service }],
  context: { "aws:SourceArn": [sourceArn], "aws:SourceAccount": [model.accountId] },
});

/** The caller that only policies for every principal (`*`) allow. */
const anonymousCaller: Caller = {
  identity: undefined,
  principals: [{ type: "AWS", name: "anonymous" }],
  context: { "aws:PrincipalType": ["Anonymous"] },
};

const callerOf = (model: StackModel, principal: Principal): Caller => {
  switch (principal.kind) {
    case "anonymous":
      return anonymousCaller;
    case "function":
      return functionCaller(model, principal.functionArn);
    case "role":
      return roleCaller(model, principal.roleArn, []);
    case "service":
      return serviceCaller(model, principal.service, principal.sourceArn);
  }
};

/** The policy of the resource, or of the resource that it is a part of: an index is a part of its table. */
const resourcePolicyOf = ({ resourcePolicies }: StackModel, resource: string): PolicyStatement[] =>
  Object.entries(resourcePolicies)
    .filter(([arn]) => resource === arn || resource.startsWith(`${arn}/`))
    .flatMap(([, statements]) => statements);

/**
 * If the policy of a resource names the account, the account's own policies decide. Alone it grants nothing.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html#principal-accounts
 */
const withoutAccount = (request: AccessRequest, accountId: string): AccessRequest => ({
  ...request,
  principals: request.principals.filter(({ name }) => name !== accountId && !name.endsWith(":root")),
});

/**
 * Judges as IAM would: functions and assumed roles by the role's policies and the resource's policy, all others by the
 * resource's alone.
 * KMS keys are the exception: a role may use a key only if the key's policy allows the role or lets the account decide.
 * https://docs.aws.amazon.com/kms/latest/developerguide/key-policies.html
 * @throws TemplateError if a policy has an element that is not supported.
 */
export const createAuthorizer = (model: StackModel): Authorizer => {
  checkPolicies(model);
  const region = { "aws:RequestedRegion": [model.region], "aws:SecureTransport": ["true"] };

  return {
    judge: ({ principal, action, resource, context = {} }) => {
      const caller = callerOf(model, principal);
      const keys = Object.entries({ ...region, ...caller.context, ...context });
      const request: AccessRequest = {
        action,
        resource,
        context: new Map(keys.map(([key, values]) => [key.toLowerCase(), values])),
        principals: caller.principals,
      };
      if (principal.kind === "role" && !mayAssume(model, principal.roleArn, principal.service, request.context))
        return { allowed: false, reason: `because ${principal.service} may not assume ${principal.roleArn}` };
      const policy = resourcePolicyOf(model, resource);
      const identity = evaluate(caller.identity ?? [], request);
      if (identity === "deny") return { allowed: false, reason: "with an explicit deny in an identity-based policy" };
      const ofResource = evaluate(policy, request);
      if (ofResource === "deny") {
        return { allowed: false, reason: "with an explicit deny in a resource-based policy" };
      }
      const mayIdentityDecide = ofResource === "allow" || !model.keys.some(({ arn }) => arn === resource);
      if (identity === "allow" && mayIdentityDecide) {
        return { allowed: true, reason: `an identity-based policy allows ${action}` };
      }
      if (evaluate(policy, withoutAccount(request, model.accountId)) === "allow") {
        return { allowed: true, reason: `a resource-based policy allows ${action}` };
      }
      const kind = caller.identity === undefined || !mayIdentityDecide ? "resource-based" : "identity-based";
      return { allowed: false, reason: `because no ${kind} policy allows the ${action} action` };
    },
  };
};
