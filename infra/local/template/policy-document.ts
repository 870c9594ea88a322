import * as z from "zod";
import type { PolicyStatement } from "../core/model.ts";
import { text } from "./values.ts";

const names = z.union([z.string(), z.array(z.string())]);

/** Strict: an element that is not understood, such as NotPrincipal, must not widen what a policy allows. */
const Statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: z.union([z.literal("*"), z.record(z.string(), names)]).optional(),
  Action: names.optional(),
  NotAction: names.optional(),
  Resource: names.optional(),
  NotResource: names.optional(),
  Condition: z.record(z.string(), z.record(z.string(), z.union([text, z.array(text)]))).optional(),
});

const withoutAbsent = (statement: z.infer<typeof Statement>): PolicyStatement => ({
  Effect: statement.Effect,
  ...(statement.Sid !== undefined && { Sid: statement.Sid }),
  ...(statement.Principal !== undefined && { Principal: statement.Principal }),
  ...(statement.Action !== undefined && { Action: statement.Action }),
  ...(statement.NotAction !== undefined && { NotAction: statement.NotAction }),
  ...(statement.Resource !== undefined && { Resource: statement.Resource }),
  ...(statement.NotResource !== undefined && { NotResource: statement.NotResource }),
  ...(statement.Condition !== undefined && { Condition: statement.Condition }),
});

/** An IAM policy document; parsing answers its statements. */
export const PolicyDocument = z
  .object({ Statement: z.union([Statement, z.array(Statement)]) })
  .transform(({ Statement: statements }) => [statements].flat().map(withoutAbsent));
