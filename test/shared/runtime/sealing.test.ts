import { describe, expect, it } from "@jest/globals";
import * as z from "zod/mini";
import { createSealing } from "../../../shared/runtime/sealing.ts";

const sealing = createSealing("a secret of at least 32 characters");
const binding = { scope: "org:acme", query: "things" };
const position = z.object({ name: z.string() });
const sealed = sealing.seal(binding, { name: "Größe 🌱" });

describe("a sealed text", () => {
  it("is opened by its own binding only", () => {
    expect(sealing.open(binding, position, sealed)).toEqual({ is: "ours", position: { name: "Größe 🌱" } });
    expect(sealing.open({ ...binding, query: "others" }, position, sealed)).toEqual({ is: "unknown" });
  });

  it("of another scope names that scope and its query", () => {
    expect(sealing.open({ scope: "org:globex", query: "others" }, position, sealed)).toEqual({
      is: "foreign",
      scope: "org:acme",
      query: "things",
    });
  });

  it("begins with a nonce of 12 bytes of its own and ends with a tag of 16", () => {
    const [one, other] = [Buffer.from(sealed, "base64url"), Buffer.from(sealing.seal(binding, {}), "base64url")];
    expect(one.subarray(0, 12)).not.toEqual(other.subarray(0, 12));
    const content = JSON.stringify({ ...binding, position: { name: "Größe 🌱" } });
    expect(one).toHaveLength(12 + Buffer.byteLength(content) + 16);
  });

  it.each([
    ["longer nonce", 0, 13],
    ["shorter", 1, undefined],
    ["only nonce and tag", 0, 28],
    ["empty", 0, 0],
  ])("is unknown if it is %s", (_what, from, to) => {
    const changed = Buffer.from(sealed, "base64url").subarray(from, to).toString("base64url");
    expect(sealing.open(binding, position, changed)).toEqual({ is: "unknown" });
  });

  it.each([`${sealed}=`, ` ${sealed}`, sealed.replace(/^./, "!"), `${sealed}.`])("is unknown as %j", (text) => {
    expect(sealing.open(binding, position, text)).toEqual({ is: "unknown" });
  });
});
