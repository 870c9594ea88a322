import * as z from "zod";
import type { PolicyStatement } from "../core/model.ts";

const names = z.union([z.string(), z.array(z.string())]);

/** Strict: an element that is not supported, such as NotPrincipal, must not widen what a policy allows. */
const Statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: z.union([z.literal("*"), z.record(z.string(), names)]).optional(),
  Action: names,
  Resource: names.optional(),
  Condition: z.record(z.string(), z.record(z.string(), names)).optional(),
});

const withoutAbsent = ({ Sid, Effect, Principal, Action, Resource, Condition }: z.infer<typeof Statement>) =>
  ({
    Effect,
    Action,
    ...(Sid !== undefined && { Sid }),
    ...(Principal !== undefined && { Principal }),
    ...(Resource !== undefined && { Resource }),
    ...(Condition !== undefined && { Condition }),
  }) satisfies PolicyStatement;

/** An IAM policy document; parsing answers its statements. */
export const PolicyDocument = z
  .object({ Statement: z.union([Statement, z.array(Statement)]) })
  .transform(({ Statement: statements }) => [statements].flat().map(withoutAbsent));
