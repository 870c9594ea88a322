import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { requireCheckoutDirectories } from "../../../../infra/local/start/checkout-directories.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

it("creates the directories of a new checkout, and names one that cannot be written", () => {
  const root = newDirectory("checkout-");
  requireCheckoutDirectories(root);
  requireCheckoutDirectories(root);
  expect([".build", ".cache", ".local"].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  const other = newDirectory("checkout-");
  const file = join(other, ".cache");
  writeFileSync(file, "");
  expect(() => requireCheckoutDirectories(other)).toThrow(
    new RegExp(`^the directory ${file} cannot be written \\(.+\\): allow it for this user, or delete what is there$`),
  );
});
