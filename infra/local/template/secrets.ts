import { randomInt } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { readDataFile, writeDataFile } from "../core/data-file.ts";

/** GenerateSecretString of AWS::SecretsManager::Secret: letters and digits. */
export const SecretRecipe = z.strictObject({
  PasswordLength: z.int().min(3).max(4096).default(32),
  ExcludePunctuation: z.literal(true),
});

const KINDS = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];

/** A random value with at least one character of each kind, as Secrets Manager makes it. */
export const generateSecret = ({ PasswordLength: length }: z.infer<typeof SecretRecipe>): string => {
  const alphabet = KINDS.join("");
  let value: string;
  do value = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
  while (!KINDS.every((kind) => [...kind].some((character) => value.includes(character))));
  return value;
};

/** Generated values by logical id. They are kept, because values that they signed are kept too. */
export type GeneratedSecrets = {
  /** The kept value, or a new one. */
  secretFor(logicalId: string, generate: () => string): string;
  /** Writes new values, readable by the owner only. */
  save(): void;
};

/** Opens `secrets.json` of the data directory. @throws Error if the file is damaged. */
export const openGeneratedSecrets = (dataDirectory: string): GeneratedSecrets => {
  const file = join(dataDirectory, "secrets.json");
  const values = new Map(Object.entries(readDataFile(file, z.record(z.string(), z.string())) ?? {}));
  const kept = values.size;
  return {
    secretFor: (logicalId, generate) => {
      const value = values.get(logicalId) ?? generate();
      values.set(logicalId, value);
      return value;
    },
    save: () => {
      if (values.size > kept) writeDataFile(file, Object.fromEntries(values), 0o600);
    },
  };
};
