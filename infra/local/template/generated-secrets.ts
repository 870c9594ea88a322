import { randomInt } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

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
  valueFor(logicalId: string, generate: () => string): string;
  /** Writes what was made since, readable by the owner only. */
  save(): Promise<void>;
};

const Values = z.record(z.string(), z.string());

/** Opens `secrets.json` of the data directory. @throws Error when the file is not what `save` wrote. */
export const openGeneratedSecrets = async (dataDirectory: string): Promise<GeneratedSecrets> => {
  const file = join(dataDirectory, "secrets.json");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const values = new Map(Object.entries(Values.parse(JSON.parse(text))));
  const kept = values.size;
  return {
    valueFor: (logicalId, generate) => {
      const value = values.get(logicalId) ?? generate();
      values.set(logicalId, value);
      return value;
    },
    save: async () => {
      if (values.size === kept) return;
      await mkdir(dataDirectory, { recursive: true });
      const draft = `${file}.${process.pid}`;
      await writeFile(draft, `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`, { mode: 0o600 });
      await chmod(draft, 0o600);
      await rename(draft, file);
    },
  };
};
