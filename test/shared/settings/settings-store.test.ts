import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { defaultSettings, type Settings, type SettingsChange } from "../../../shared/settings/settings.ts";
import { createSettingsStore } from "../../../shared/settings/settings-store.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("settings");
const proxy = usePerFile(() => startLossyProxy(database.running().endpoint));
const { client } = database;
const store = createSettingsStore(database.table("settings"));

let organizations = 0;
let acme = "";
beforeEach(() => {
  acme = `acme#${++organizations} %23`;
});

const settings = (...ipAllowlist: string[]): Settings => ({
  ipAllowlist,
  recordAccess: { member: ["invoices", "customers"], guest: [] },
  siemFeed: false,
  accountActivity: true,
  drill: "off",
});
const change: SettingsChange = {
  before: defaultSettings,
  at: 1_795_219_200_000,
  userId: "ada",
  requestId: "request-1",
  ipAddress: "192.0.2.7",
};
const itemOf = async (organizationId: string) =>
  (await client.send(new GetCommand({ TableName: "settings", Key: { id: organizationKey(organizationId) } }))).Item;

describe("settings", () => {
  it("of earlier versions have the defaults of later fields, and so has their unrecorded change", async () => {
    const old = { ipAllowlist: ["192.0.2.0/24"], recordAccess: { member: [], guest: [] } };
    const { siemFeed: _, accountActivity: __, drill: ___, ...before } = defaultSettings;
    const Item = { id: organizationKey(acme), ...old, version: "v", changedAt: 1, changedBy: "ada" };
    await client.send(new PutCommand({ TableName: "settings", Item: { ...Item, change: { ...change, before } } }));
    await expect(store.readStored(acme)).resolves.toEqual({
      settings: { ...old, siemFeed: false, accountActivity: true, drill: "off" },
      version: "v",
      change,
    });
  });

  it("are the defaults until a change, which applies to that organization only", async () => {
    await expect(store.readStored(acme)).resolves.toEqual({
      settings: {
        ipAllowlist: [],
        recordAccess: { member: [], guest: [] },
        siemFeed: false,
        accountActivity: true,
        drill: "off",
      },
      version: undefined,
      change: undefined,
    });
    const first = await store.replace(acme, settings("192.0.2.0/24"), { version: undefined, change });
    await expect(store.readStored(acme)).resolves.toEqual({
      settings: settings("192.0.2.0/24"),
      version: first,
      change,
    });
    await expect(store.read(`${acme}x`)).resolves.toEqual(defaultSettings);
    await expect(itemOf(acme)).resolves.toMatchObject({ changedAt: change.at, changedBy: "ada" });
    // All settings are replaced: no previous value stays.
    const second = await store.replace(acme, defaultSettings, { version: first, change });
    expect(second).toEqual(expect.any(String));
    expect(second).not.toBe(first);
    await expect(store.read(acme)).resolves.toEqual(defaultSettings);
  });

  it("are stored as sent, in order and with repetitions", async () => {
    const sent = settings("2001:DB8::/32", "192.0.2.7/24", "192.0.2.7/24");
    await store.replace(acme, sent, { version: undefined, change });
    await expect(store.read(acme)).resolves.toEqual(sent);
  });

  it("are replaced by one of the changes that read the same version", async () => {
    for (const version of [undefined, await store.replace(`${acme}x`, settings(), { version: undefined, change })]) {
      const organizationId = version === undefined ? acme : `${acme}x`;
      const written = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          store.replace(organizationId, settings(`10.${i}.0.0/16`), { version, change }),
        ),
      );
      const winners = written.flatMap((token, i) => (token === undefined ? [] : [i]));
      expect(winners).toHaveLength(1);
      await expect(store.read(organizationId)).resolves.toEqual(settings(`10.${winners[0]}.0.0/16`));
    }
  });

  it("are replaced although the first answer is lost", async () => {
    const lossy = createSettingsStore(database.table("settings", database.clientAt(proxy.url)));
    const version = await lossy.replace(acme, settings("10.0.0.0/8"), { version: undefined, change });
    await expect(store.readStored(acme)).resolves.toMatchObject({ settings: settings("10.0.0.0/8"), version });
  });

  it("lose a recorded change, unless a later change replaced it", async () => {
    const first = (await store.replace(acme, settings("10.0.0.0/8"), { version: undefined, change })) ?? "";
    const second = (await store.replace(acme, settings(), { version: first, change })) ?? "";
    await store.forgetChange(acme, first);
    await expect(store.readStored(acme)).resolves.toMatchObject({ change });
    await store.forgetChange(acme, second);
    await expect(store.readStored(acme)).resolves.toEqual({ settings: settings(), version: second, change: undefined });
    await store.forgetChange(`${acme} of nobody`, second);
    await expect(itemOf(`${acme} of nobody`)).resolves.toBeUndefined();
  });

  it("cost a read unit", async () => {
    const counted = database.newClient();
    const measure = countUnits(counted);
    const { read } = createSettingsStore(database.table("settings", counted));
    await expect(measure(() => read(acme))).resolves.toEqual({ read: 1, write: 0 });
    await store.replace(acme, settings("10.0.0.0/8"), { version: undefined, change });
    await expect(measure(() => read(acme))).resolves.toEqual({ read: 1, write: 0 });
  });

  it("that do not match the schema are an error", async () => {
    await client.send(
      new PutCommand({ TableName: "settings", Item: { id: organizationKey(acme), ipAllowlist: "192.0.2.0/24" } }),
    );
    // A list that cannot be read must not become an empty list, which admits every address.
    await expect(store.read(acme)).rejects.toThrow();
  });
});

describe("a store that does not answer", () => {
  it("causes one domain error", async () => {
    const away = createSettingsStore(database.table("settings", database.clientAt("http://127.0.0.1:9", 1)));
    for (const call of [
      away.read(acme),
      away.replace(acme, settings(), { version: undefined, change }),
      away.forgetChange(acme, "x"),
    ]) {
      await expect(call).rejects.toMatchObject({ code: "store_unavailable" });
    }
  });
});
