import { expect, it } from "@jest/globals";
import { selectionOf, sizeOf, titleOf } from "../../../functions/console/app/views/exports/export-words.ts";
import { exportsInAllStates } from "../../support/export-answers.ts";

const NOW = 1_795_219_200_000;

it("says what an export contains", () => {
  const [, running, completed] = exportsInAllStates(NOW);
  expect(running && [titleOf(running), selectionOf(running).slice(1)]).toEqual([
    "Events as CSV",
    ["Level: High", "Outcome: Failed"],
  ]);
  expect(completed && [titleOf(completed), selectionOf(completed)]).toEqual(["Everything of the organization", []]);
  expect(sizeOf({ progress: { items: 1, bytes: 512 } })).toMatch(/^1 entry, 512\sbyte$/);
});
