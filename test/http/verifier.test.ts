import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { useService } from "../support/use-service.ts";

const service = await useService();

it("offers the program that checks proofs, without a token", async () => {
  const answer = await fetch(`${service.stack.apiUrl}/verify.mjs`);
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    200,
    "text/javascript; charset=utf-8",
    "public, no-cache",
  ]);
  expect(await answer.text()).toBe(readFileSync(join(import.meta.dirname, "../../docs/verify.mjs"), "utf8"));
});
