import { randomInt } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { readDataFile, writeDataFile } from "../core/data-file.ts";

/** GenerateSecretString of AWS::SecretsManager::Secret, as far as it shapes the value. */
export const SecretRecipe = z.object({
  PasswordLength: z.coerce.number().int().min(1).max(4096).default(32),
  ExcludeCharacters: z.string().default(""),
  ExcludeLowercase: z.boolean().default(false),
  ExcludeUppercase: z.boolean().default(false),
  ExcludeNumbers: z.boolean().default(false),
  ExcludePunctuation: z.boolean().default(false),
  IncludeSpace: z.boolean().default(false),
  RequireEachIncludedType: z.boolean().default(true),
  SecretStringTemplate: z.string().optional(),
  GenerateStringKey: z.string().optional(),
});

export type SecretRecipe = z.infer<typeof SecretRecipe>;

/** The kinds of characters that the recipe includes, each without what it excludes. */
const kindsOf = (recipe: SecretRecipe): string[] =>
  [
    recipe.ExcludeLowercase ? "" : "abcdefghijklmnopqrstuvwxyz",
    recipe.ExcludeUppercase ? "" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    recipe.ExcludeNumbers ? "" : "0123456789",
    recipe.ExcludePunctuation ? "" : "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    recipe.IncludeSpace ? " " : "",
  ]
    .map((kind) => [...kind].filter((character) => !recipe.ExcludeCharacters.includes(character)).join(""))
    .filter((kind) => kind !== "");

/** A random value as Secrets Manager would make it; JSON where the recipe has a template. */
export const generateSecret = (recipe: SecretRecipe): string => {
  const kinds = kindsOf(recipe);
  const required = recipe.RequireEachIncludedType ? kinds : [];
  if (kinds.length === 0 || required.length > recipe.PasswordLength) {
    throw new Error("GenerateSecretString asks for what no value can be");
  }
  const alphabet = kinds.join("");
  let value: string;
  do value = Array.from({ length: recipe.PasswordLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  while (!required.every((kind) => [...kind].some((character) => value.includes(character))));
  const { SecretStringTemplate: template, GenerateStringKey: key } = recipe;
  if (template === undefined || key === undefined) return value;
  return JSON.stringify({ ...z.record(z.string(), z.unknown()).parse(JSON.parse(template)), [key]: value });
};

/** Generated values by logical id; they outlive a restart, as what they sign does. */
export type GeneratedSecrets = {
  /** The kept value, or the one made now. */
  secretFor(logicalId: string, generate: () => string): string;
  /** Writes what was made since, readable by the owner only. */
  save(): void;
};

/** Opens `secrets.json` of the data directory. @throws Error when the file is not what `save` wrote. */
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
