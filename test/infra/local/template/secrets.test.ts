import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { generateSecret, openGeneratedSecrets, SecretRecipe } from "../../../../infra/local/template/secrets.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const directory = newDirectory("secrets-");

describe("generateSecret", () => {
  it("generates letters and digits of each kind, with the length that the recipe requires", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 60 }), (PasswordLength) => {
        const value = generateSecret(SecretRecipe.parse({ PasswordLength, ExcludePunctuation: true }));
        expect(value).toHaveLength(PasswordLength);
        expect(value).toMatch(/^[A-Za-z0-9]+$/);
        for (const kind of [/[a-z]/, /[A-Z]/, /[0-9]/]) expect(value).toMatch(kind);
      }),
    );
  });

  it.each([
    {},
    { ExcludePunctuation: false },
    { ExcludePunctuation: true, ExcludeNumbers: true },
    { ExcludePunctuation: true, SecretStringTemplate: "{}", GenerateStringKey: "password" },
    { ExcludePunctuation: true, PasswordLength: 2 },
  ])("refuses the recipe %j", (recipe) => {
    expect(SecretRecipe.safeParse(recipe).success).toBe(false);
  });
});

describe("openGeneratedSecrets", () => {
  it("keeps a value over a restart, readable only by the owner", () => {
    const first = openGeneratedSecrets(directory);
    expect(first.secretFor("Key", () => "one")).toBe("one");
    first.save();
    expect(openGeneratedSecrets(directory).secretFor("Key", () => "two")).toBe("one");
    expect(statSync(join(directory, "secrets.json")).mode & 0o777).toBe(0o600);
  });
});
