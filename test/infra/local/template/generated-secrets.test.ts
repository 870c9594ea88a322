import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  generateSecret,
  openGeneratedSecrets,
  SecretRecipe,
} from "../../../../infra/local/template/generated-secrets.ts";
import { secretReference } from "../../../../infra/local/template/secret-reference.ts";

const directory = mkdtempSync(join(tmpdir(), "secrets-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe("generateSecret", () => {
  it("keeps to the recipe", () => {
    const recipes = fc.record({
      PasswordLength: fc.integer({ min: 4, max: 60 }),
      ExcludePunctuation: fc.boolean(),
      ExcludeUppercase: fc.boolean(),
      ExcludeNumbers: fc.boolean(),
      ExcludeCharacters: fc.constantFrom("", "aeiou", "\"'\\"),
    });
    fc.assert(
      fc.property(recipes, (recipe) => {
        const value = generateSecret(SecretRecipe.parse(recipe));
        expect(value).toHaveLength(recipe.PasswordLength);
        expect(value).toMatch(/[a-z]/);
        expect(/[A-Z]/.test(value)).toBe(!recipe.ExcludeUppercase);
        expect(/[0-9]/.test(value)).toBe(!recipe.ExcludeNumbers);
        expect(/[^A-Za-z0-9]/.test(value)).toBe(!recipe.ExcludePunctuation);
        expect([...recipe.ExcludeCharacters].some((character) => value.includes(character))).toBe(false);
      }),
    );
  });

  it("puts the value into the template, where there is one", () => {
    const recipe = SecretRecipe.parse({ SecretStringTemplate: '{"user":"ada"}', GenerateStringKey: "password" });
    expect(JSON.parse(generateSecret(recipe))).toEqual({ user: "ada", password: expect.stringMatching(/^.{32}$/) });
  });

  it("refuses a recipe that no value can follow", () => {
    expect(() => generateSecret(SecretRecipe.parse({ PasswordLength: 3 }))).toThrow("no value");
  });
});

describe("openGeneratedSecrets", () => {
  it("keeps a value from one start to the next, for the owner's eyes only", () => {
    const first = openGeneratedSecrets(directory);
    expect(first.secretFor("Key", () => "one")).toBe("one");
    first.save();
    expect(openGeneratedSecrets(directory).secretFor("Key", () => "two")).toBe("one");
    expect(statSync(join(directory, "secrets.json")).mode & 0o777).toBe(0o600);
  });
});

describe("secretReference", () => {
  const arn = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:key-abcdef";
  const values: Record<string, string> = { [arn]: '{"user":"ada","size":1}', plain: "s3cret" };
  const read = (reference: string) => secretReference(reference, (id) => values[id]);

  it.each([
    [`secretsmanager:${arn}:SecretString:::`, '{"user":"ada","size":1}'],
    [`secretsmanager:${arn}:SecretString:user::`, "ada"],
    [`secretsmanager:${arn}`, '{"user":"ada","size":1}'],
    ["secretsmanager:plain:SecretString::AWSCURRENT:", "s3cret"],
  ])("reads %s", (reference, value) => {
    expect(read(reference)).toBe(value);
  });

  it.each([
    ["ssm-secure:x", "is not understood"],
    ["secretsmanager:plain:SecretString::AWSPREVIOUS:", "is not understood"],
    ["secretsmanager:plain:SecretString:::some-version", "is not understood"],
    ["secretsmanager:plain:SecretBinary:::", "is not understood"],
    ["secretsmanager:missing:SecretString:::", "declares no secret missing"],
    [`secretsmanager:${arn}:SecretString:size::`, "has no text in size"],
  ])("fails on %s", (reference, message) => {
    expect(() => read(reference)).toThrow(message);
  });
});
