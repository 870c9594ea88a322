import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { requireCheckoutDirectories } from "../../../infra/local/checkout-directories.ts";

it("creates the directories of a new checkout, and names one that cannot be written", () => {
  const root = mkdtempSync(join(tmpdir(), "checkout-"));
  requireCheckoutDirectories(root);
  requireCheckoutDirectories(root);
  expect([".build", ".cache", ".local"].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  const other = mkdtempSync(join(tmpdir(), "checkout-"));
  const file = join(other, ".cache");
  writeFileSync(file, "");
  expect(() => requireCheckoutDirectories(other)).toThrow(
    new RegExp(`^the directory ${file} cannot be written \\(.+\\): allow it for this user, or delete what is there$`),
  );
});
