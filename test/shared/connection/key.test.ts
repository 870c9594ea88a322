import { beforeEach, describe, expect, it } from "@jest/globals";
import { keyOf, viewKey, warningsOf } from "../../../shared/connection/key.ts";
import { updateItem } from "../../../shared/runtime/table.ts";
import { DAY_MS } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { useConnections } from "./connection-table.ts";
import { createWorld, NOON } from "./world.ts";

quietLog();

const byKey = (apiKey: string) => ({ method: "api_key", apiKey }) as const;

describe("what a key is", () => {
  it.each([
    ["sk_live_a", "unrestricted", "live", ["use_restricted_key"]],
    ["rk_live_a", "restricted", "live", []],
    ["sk_test_a", "unrestricted", "test", []],
    ["rk_test_a", "restricted", "test", []],
    ["sk_org_live_a", "unrestricted", "test", []],
    ["something", "unrestricted", "test", []],
  ])("%s is %s and %s", (apiKey, kind, mode, codes) => {
    const key = keyOf(byKey(apiKey), { since: NOON });
    const { advice, ...view } = viewKey(key, NOON + 1, NOON + 1);
    expect(view).toEqual({ kind, mode, since: NOON, lastAcceptedAt: NOON + 1 });
    expect(advice.map(({ code }) => code)).toEqual(codes);
    expect(JSON.stringify(key)).not.toContain(apiKey);
  });

  it.each([
    ["rk_live_a", 365, []],
    ["rk_live_a", 365.01, ["age"]],
    ["sk_live_a", 366, ["unrestricted", "age"]],
    ["sk_test_a", 366, []],
  ])("%s warns after %s days of %j", (apiKey, days, warnings) => {
    expect(warningsOf(keyOf(byKey(apiKey), { since: NOON }), NOON + days * DAY_MS)).toEqual(warnings);
  });

  it("is OAuth without advice, live or test as the token says", () => {
    const secret = { method: "oauth", accessToken: "a", refreshToken: "b" } as const;
    const key = keyOf(secret, { since: NOON, isLive: true });
    expect(viewKey(key, undefined, NOON + 400 * DAY_MS)).toEqual({
      kind: "oauth",
      mode: "live",
      since: NOON,
      advice: [],
    });
    expect(keyOf(secret, { since: NOON }).mode).toBe("test");
  });
});

describe("its alerts", () => {
  const table = useConnections();
  const world = usePerTest(() => createWorld(table.stores));
  let organizations = 0;
  let org = "";
  beforeEach(() => {
    org = `keys/${++organizations}`;
    for (const key of ["sk_live_ONE", "sk_live_TWO", "rk_live_ONE", "sk_test_ONE"])
      world.provider.secrets.set(key, "acct_1");
  });
  const later = async (days: number) => {
    world.now += days * DAY_MS;
    await world.openConnection(org);
  };
  const since = async () => (await world.view(org, await world.stores.connections.read(org))).key?.since;

  it("are raised once for a stored key, and end with it", async () => {
    await world.connect(byKey("sk_live_ONE"), org);
    await world.connect(byKey("sk_live_ONE"), org);
    await later(1);
    expect(world.keyAlerts).toEqual(["raised unrestricted HIGH"]);
    expect(await since()).toBe(NOON);
    await world.connect(byKey("sk_live_TWO"), org);
    expect(await since()).toBe(NOON + DAY_MS);
    await world.connect(byKey("rk_live_ONE"), org);
    expect(world.keyAlerts.slice(1)).toEqual([
      "resolved unrestricted",
      "raised unrestricted HIGH",
      "resolved unrestricted",
    ]);
  });

  it("say once that a key is old", async () => {
    await world.connect(byKey("sk_live_ONE"), org);
    await later(366);
    await later(1);
    expect(world.keyAlerts).toEqual(["raised unrestricted HIGH", "raised age MEDIUM"]);
    await world.disconnectByUser(org);
    await world.disconnectByUser(org);
    expect(world.keyAlerts.slice(2)).toEqual(["resolved unrestricted", "resolved age"]);
    await world.connect(byKey("sk_test_ONE"), org);
    await later(400);
    expect(world.keyAlerts).toHaveLength(4);
  });

  it.each([
    ["sk_live_ONE", ["raised unrestricted HIGH"]],
    ["rk_live_ONE", []],
  ])("of %s that an earlier version stored are raised when it is used", async (apiKey, alerts) => {
    await world.connect(byKey(apiKey), org);
    world.keyAlerts.length = 0;
    const connections = table.table("connections");
    await updateItem(connections, { id: organizationKey(org) }, { remove: ["key", "keyAlerts"] });
    expect(await since()).toBeUndefined();
    await later(1);
    await later(1);
    expect(world.keyAlerts).toEqual(alerts);
    expect(await since()).toBe(NOON);
  });

  it("are not raised while the rule is off, and end all the same", async () => {
    await world.connect(byKey("sk_live_ONE"), org);
    world.wantsKeyAlerts = false;
    await world.connect(byKey("sk_live_TWO"), org);
    await later(366);
    expect(world.keyAlerts).toEqual(["raised unrestricted HIGH", "resolved unrestricted"]);
    world.wantsKeyAlerts = true;
    await later(1);
    await later(1);
    expect(world.keyAlerts.slice(2)).toEqual(["raised unrestricted HIGH", "raised age MEDIUM"]);
  });

  it("of OAuth are none, and its last acceptance is the exchange of its tokens", async () => {
    await world.connectByOAuth(org);
    const key = (await world.view(org, await world.stores.connections.read(org))).key;
    expect(key).toEqual({ kind: "oauth", mode: "test", since: NOON, lastAcceptedAt: NOON, advice: [] });
    expect(world.keyAlerts).toEqual([]);
  });
});
