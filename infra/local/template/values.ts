import * as z from "zod";

/** CloudFormation takes numbers and booleans as text, too. */
export const wholeNumber = z.coerce.number().int();

export const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

/** Text, or what CloudFormation would make text of. */
export const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
