/** The charts of the console and of the reports look alike, though neither has code of the other. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import * as console from "../../../functions/console/app/parts/chart-scale.ts";
import * as reports from "../../../shared/reports/html/column-chart.ts";
import { STYLES } from "../../../shared/reports/html/styles.ts";
import { textOf } from "../../../shared/runtime/markup.ts";
import { fc } from "../../support/fixed-seed.ts";

const tokens = readFileSync("functions/console/app/styles/tokens.css", "utf8");

/** The colours of both themes by their names, the light theme first. */
const coloursOf = (css: string) => {
  const [light = "", dark = ""] = css.split("prefers-color-scheme: dark");
  return [light, dark.split("}")[0] ?? ""].map((theme) =>
    Object.fromEntries([...theme.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, colour]) => [name, colour])),
  );
};

describe("charts of the console and of the reports", () => {
  it("have the same colours in both themes", () => {
    const [light, dark] = coloursOf(textOf(STYLES));
    expect(Object.keys(light ?? {})).toEqual(expect.arrayContaining(["series", "bad", "low", "critical", "line"]));
    expect(Object.keys(dark ?? {})).toEqual(Object.keys(light ?? {}));
    expect(coloursOf(tokens)).toMatchObject([{ ...light }, { ...dark }]);
  });

  it("have the same axes and widths", () => {
    expect([console.GAP, console.MOST_VALUES]).toEqual([reports.GAP, reports.MOST_VALUES]);
    fc.assert(
      fc.property(fc.array(fc.nat(10_000_000)), (values) => {
        expect(console.axisEnd(values)).toBe(reports.axisEnd(values));
      }),
    );
  });
});
