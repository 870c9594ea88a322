/** What a browser remembers: the last visit, and saved views. */
import { beforeEach, describe, expect, it } from "@jest/globals";
import { usePage } from "../../support/console-page.ts";

usePage({ issuer: "https://issuer.example", scope: "openid" });
const { noteVisit, visitAt } = await import("../../../functions/console/app/views/overview/visits.ts");
const { keepViews, parseViews, readViews, withView } = await import(
  "../../../functions/console/app/words/saved-views.ts"
);
const { readKept, writeKept } = await import("../../../functions/console/app/words/kept.ts");

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 22);

beforeEach(() => localStorage.clear());

describe("the last visit", () => {
  it("is the end of the one before, until the user was away for half an hour", () => {
    const first = visitAt(undefined, NOW);
    expect(first).toEqual({ since: undefined, lastAt: NOW });
    const later = visitAt(first, NOW + 30 * MINUTE);
    expect(later).toEqual({ since: undefined, lastAt: NOW + 30 * MINUTE });
    const next = visitAt(later, NOW + 61 * MINUTE);
    expect(next).toEqual({ since: NOW + 30 * MINUTE, lastAt: NOW + 61 * MINUTE });
    expect(visitAt(next, NOW + 62 * MINUTE).since).toBe(NOW + 30 * MINUTE);
  });

  it("is kept for each user of each organization, and begins again if it cannot be read", () => {
    expect(noteVisit("acme", "ada", NOW)).toBeUndefined();
    expect(noteVisit("acme", "bob", NOW + 60 * MINUTE)).toBeUndefined();
    expect(noteVisit("acme", "ada", NOW + 60 * MINUTE)).toBe(NOW);
    for (const broken of ["{", "null", "[]", '{"lastAt":"x"}']) {
      writeKept('visit ["acme","eve"]', broken);
      expect(noteVisit("acme", "eve", NOW)).toBeUndefined();
    }
  });

  it("does not stop a page whose browser keeps nothing", () => {
    const { getItem, setItem } = localStorage;
    const refuse = () => {
      throw new Error("The browser keeps nothing.");
    };
    Object.assign(localStorage, { getItem: refuse, setItem: refuse });
    writeKept("a", "b");
    expect(readKept("a")).toBeUndefined();
    Object.assign(localStorage, { getItem, setItem });
  });
});

describe("saved views of a list", () => {
  const path = "/console/alerts";
  const high = { name: "High", address: `${path}?level=HIGH` };

  it("are kept by name, the newest twenty", () => {
    keepViews(path, withView([], { ...high, name: "  High " }));
    expect(readViews(path)).toEqual([high]);
    expect(withView([high], { ...high, address: `${path}?level=LOW` })).toEqual([
      { name: "High", address: `${path}?level=LOW` },
    ]);
    expect(withView([high], { name: " ", address: path })).toEqual([high]);
    const many = Array.from({ length: 25 }, (_, i) => ({ name: `view ${i}`, address: path }));
    expect(many.reduce<readonly { name: string; address: string }[]>(withView, []).map(({ name }) => name)).toEqual(
      many.slice(5).map(({ name }) => name),
    );
  });

  it("lead nowhere but to their list, whatever the browser has kept", () => {
    const foreign = [
      "https://evil.example/",
      "javascript:alert(1)",
      "/console/events?a=b",
      "//evil.example/console/alerts",
    ];
    const stored = JSON.stringify([high, ...foreign.map((address) => ({ name: address, address })), 1, null]);
    expect(parseViews(stored, path)).toEqual([high]);
    for (const broken of [undefined, "{", "{}", "7"]) expect(parseViews(broken, path)).toEqual([]);
  });
});
