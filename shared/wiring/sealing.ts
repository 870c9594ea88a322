/** The key of all that a deployed function seals. */
import { callStore } from "../runtime/call-store.ts";
import { readConfig } from "../runtime/config.ts";
import { readOnce } from "../runtime/read-once.ts";

/**
 * Reads the sealing key at the first call.
 * The result throws DomainError `store_unavailable`. The part has its own copy of that class, which only `callStore` maps.
 * @throws Error at cold start if the environment lacks a variable.
 */
const wireSealingKey = (): (() => Promise<string>) => {
  const { SEALING_KEY_ARN: arn } = readConfig(["SEALING_KEY_ARN"]);
  return readOnce(() =>
    callStore(async () => {
      const { secretsManager } = await import("./sealing-key.ts");
      return secretsManager.readSecret(arn);
    }),
  );
};

/** A function that is made with the sealing key at its first call. */
export const withSealingKey = <Args extends unknown[], Result>(
  make: (key: string) => (...args: Args) => Result | Promise<Result>,
): ((...args: Args) => Promise<Result>) => {
  const readKey = wireSealingKey();
  const made = readOnce(async () => make(await readKey()));
  return async (...args) => (await made())(...args);
};
