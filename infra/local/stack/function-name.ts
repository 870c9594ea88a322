import { arnIn, type Scope } from "../template/template.ts";

/** A function is named by its name or its ARN, either with a version or an alias behind it, which do not matter here. */
export const functionArnOf = (scope: Scope, nameOrArn: string): string => {
  const name = /^(?:arn:aws:lambda:[^:]+:\d+:function:)?([^:]+)/.exec(nameOrArn)?.[1] ?? nameOrArn;
  return arnIn(scope, "lambda", `function:${name}`);
};
