import type { StackModel } from "./model.ts";

/**
 * Reads the one stack of a synthesised assembly (cdk.out) into what the local cloud runs.
 * @param dataDirectory where generated secrets are kept from one start to the next.
 * @throws TemplateError naming the logical id of what it cannot understand.
 */
export const readStack = (_options: { assemblyDirectory: string; dataDirectory: string }): Promise<StackModel> =>
  Promise.reject(new Error("being built"));
