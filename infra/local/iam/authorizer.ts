import type { StackModel } from "../template/model.ts";

/**
 * Who makes a call: a function under its role, or an AWS service on behalf of one of its resources
 * (`apigateway.amazonaws.com` with the route's sourceArn, `events.amazonaws.com` with the rule's ARN).
 */
export type Principal =
  | { kind: "function"; functionArn: string }
  | { kind: "service"; service: string; sourceArn: string };

/** One thing that must be allowed; the context's keys are condition keys such as `dynamodb:LeadingKeys`. */
export type Check = { action: string; resource: string; context?: Record<string, string[]> };

/** `reason` reads like the end of AWS's own message: "because no identity-based policy allows the … action". */
export type Verdict = { allowed: boolean; reason: string };

export type Authorizer = { judge(request: Check & { principal: Principal }): Verdict };

/**
 * Judges as IAM would: a function by its role's policies and the resource's policy, a service by the resource's alone.
 * @throws TemplateError at once when a policy uses a condition operator that is not understood.
 */
export const createAuthorizer = (_model: StackModel): Authorizer => ({
  judge: () => ({ allowed: false, reason: "being built" }),
});
