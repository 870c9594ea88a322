/** The limits of stored texts in docs/limits.md, with characters of every width: what is stored is read back the same. */

import { describe, expect, it } from "@jest/globals";
import { createOpenApiDocument } from "../../shared/api/open-api-document.ts";
import { routes } from "../../shared/api/routes.ts";
import { noCounts } from "../../shared/circuit-breaker/circuit.ts";
import { createConnectionSecrets } from "../../shared/connection/connection-secrets.ts";
import { encodeJson } from "../../shared/json/encode-json.ts";
import { parseObject } from "../../shared/provider/stripe/objects.ts";
import { createRecordStore } from "../../shared/records/record-store.ts";
import { createEnvelope } from "../../shared/runtime/envelope.ts";
import { maxCharacters, type NewSecurityEvent, type SecurityEvent } from "../../shared/security/security-event.ts";
import { defaultSettings } from "../../shared/settings/settings.ts";
import { fc } from "../support/fixed-seed.ts";
import { WIDE_CHARACTERS } from "../support/wide-characters.ts";
import { useWorld } from "./erasure/world.ts";

/** Those that may be in the ids of a token. */
const PRINTABLE = ["x", "é", "漢", "😀", '"', "\\", "%", "#"];
const VISIBLE_ASCII = ["x", '"', "\\", "%", "<"];

const world = useWorld();
let organizations = 0;
const newOrganization = () => `stored-limits-${++organizations}`;
const origin = { requestId: "r", ipAddress: "192.0.2.7" };

/** Records an event of an organization, and lists its events. */
const recorded = async (fields: Partial<NewSecurityEvent>, organizationId = newOrganization()) => {
  const event = {
    eventType: "DATA_READ",
    category: "data_access",
    riskLevel: "LOW",
    source: "user",
    success: true,
    ...fields,
    organizationId,
  } as NewSecurityEvent;
  await world.main.recorder.record(event);
  const { userId } = fields;
  const selection = { organizationId, since: 0, ...(userId !== undefined && { userId }) };
  const page = { limit: 9, after: undefined, now: world.time.now };
  const { events } = await world.main.securityEvents.list(selection, page);
  expect(events).toHaveLength(1);
  return events[0] as SecurityEvent;
};

describe.each(WIDE_CHARACTERS)("stored texts of %j", (character) => {
  it("are a record's at 2,048 characters, and null beyond them", async () => {
    const store = createRecordStore(world.main.open("records"));
    const organizationId = newOrganization();
    const object = (name: string) => ({ id: "cus_1", object: "customer", created: 1, name, email: name });
    const parsed = (name: string) => parseObject("customers", object(name), { from: 1, to: 1 });
    const name = character.repeat(2_048);
    const state = parsed(name);
    if (state.kind !== "state") throw new Error("The customer was set aside.");
    expect(state.fields).toMatchObject({ name, email: name });
    expect(parsed(`${name}x`)).toMatchObject({ fields: { name: null, email: null } });
    const { type, id, createdAt, fields, observedAt } = state;
    const record = { type, id, createdAt, fields, observedAt, updatedAt: 1, isInQuestion: false, version: "v" };
    expect(await store.put(organizationId, record, undefined)).toBe(true);
    expect(await store.get(organizationId, { type, id })).toMatchObject({ fields: { name, email: name } });
  });

  it("are the reason of a circuit's change and of an erasure at 512 characters", async () => {
    const organizationId = newOrganization();
    const reason = character.repeat(512);
    const write = { action: "force_open", at: world.time.now, id: "1", by: "ada", reason, baseline: noCounts } as const;
    await world.main.circuits.operate(organizationId, write);
    expect((await world.main.circuits.read(organizationId)).starts.at(-1)).toMatchObject({ reason });

    const caller = { organizationId, userId: "ada", sessionId: undefined };
    await world.request({ scope: "all", reason }, { caller, origin });
    expect(await world.list(organizationId)).toMatchObject([{ reason }]);
  });

  it("are an event's agent at 256 characters, cut and marked beyond them", async () => {
    const userAgent = character.repeat(256);
    expect(await recorded({ userAgent })).toMatchObject({ userAgent });
    const { userAgent: cut = "" } = await recorded({ userAgent: `${userAgent}x` });
    expect([...cut]).toHaveLength(256);
    expect(cut).toMatch(/…\[cut\]$/);
    expect(cut.isWellFormed()).toBe(true);
  });
});

describe.each(PRINTABLE)("ids of 128 %j", (character) => {
  const id = character.repeat(128);

  it("are an event's user and session, found by the user", async () => {
    expect(await recorded({ userId: id, sessionId: id })).toMatchObject({ userId: id, sessionId: id });
  });

  it("are an organization's, whose settings and circuit are its own", async () => {
    const change = { before: defaultSettings, at: world.time.now, userId: id, requestId: "r", ipAddress: "192.0.2.7" };
    const settings = { ...defaultSettings, ipAllowlist: ["192.0.2.0/24"] };
    await world.main.settings.replace(id, settings, { version: undefined, change });
    expect(await world.main.settings.readStored(id)).toMatchObject({ settings, change });
    expect(await world.main.settings.read(id.slice(character.length))).toEqual(defaultSettings);
    const write = { action: "force_close", at: world.time.now, id: "1", by: id, baseline: noCounts } as const;
    await world.main.circuits.operate(id, write);
    expect((await world.main.circuits.read(id)).starts.at(-1)).toMatchObject({ by: id });
  });
});

describe("the id of a record", () => {
  it.each(PRINTABLE)("fits into every key at 255 UTF-16 units, and is set aside beyond them: %j", async (character) => {
    const store = createRecordStore(world.main.open("records"));
    const idOf = (units: number) =>
      character.repeat(Math.floor(units / character.length)) + "x".repeat(units % character.length);
    const id = idOf(255);
    const parsed = (longest: string) => {
      const object = { id: longest, object: "subscription", created: 1, customer: longest };
      return parseObject("subscriptions", object, { from: 1, to: 1 });
    };
    expect(parsed(idOf(256))).toMatchObject({ kind: "set_aside", reason: "id" });
    const state = parsed(id);
    if (state.kind !== "state") throw new Error("The subscription was set aside.");
    const { type, createdAt, fields, observedAt } = state;
    const record = { type, id, createdAt, fields, observedAt, updatedAt: 1, isInQuestion: false, version: "v" };
    // The partition keys of the indexes have the organization's id as well.
    const organizationId = `${++organizations}`.padEnd(128, character).slice(0, 128).toWellFormed();
    expect(await store.put(organizationId, record, undefined)).toBe(true);
    expect(await store.get(organizationId, { type, id })).toMatchObject({ id, fields: { customerId: id } });
  });
});

describe("the largest alert", () => {
  const bytesOf = (detail: object) => Buffer.byteLength(JSON.stringify(detail));

  it.each(WIDE_CHARACTERS)("fits into half of an event on the bus: %j", (character) => {
    const text = (length: number) => character.repeat(length);
    const alert = {
      id: text(26),
      title: text(256),
      level: "CRITICAL",
      rule: "manual",
      subject: text(256),
      status: "resolved",
      count: 1,
      firstSeen: 1,
      lastSeen: 1,
      revision: 1,
      message: text(1_024),
      acknowledgedBy: text(128),
      resolvedBy: text(128),
      eventIds: Array(100).fill(text(128)),
      metadata: { n: text(300) },
      assignee: text(128),
      assignedBy: text(128),
      assignedAt: 1,
      comments: 100,
      commentedAt: 1,
      raisedLevel: "MEDIUM",
      escalatedAt: 1,
    };
    const detail = { version: 1, organizationId: text(128), change: "commented", at: 1, alert };
    expect(bytesOf({ ...detail, note: { id: text(26), by: text(128), text: text(2_000) } })).toBeLessThan(131_072);
  });
});

describe("settings", () => {
  const longest = (n: number) => `2001:0db8:ffff:ffff:ffff:ffff:255.255.255.${n}/128`;
  const networks = (count: number) => Array.from({ length: count }, (_, n) => longest(n));

  it("have 100 networks of the greatest length", async () => {
    const organizationId = newOrganization();
    const settings = { ...defaultSettings, ipAllowlist: networks(100) };
    // A change has the settings before it.
    const change = { before: settings, at: world.time.now, userId: "ada", requestId: "r", ipAddress: "192.0.2.7" };
    await world.main.settings.replace(organizationId, settings, { version: undefined, change });
    expect(await world.main.settings.readStored(organizationId)).toMatchObject({ settings, change });
  });
});

describe("the secrets of a connection", () => {
  const kms = {
    generateDataKey: async () => ({ dataKey: new Uint8Array(32), encrypted: new Uint8Array(200) }),
    decryptDataKey: async () => new Uint8Array(32),
  };

  it.each(VISIBLE_ASCII)("are opened as they were sealed, 4 current and 16 replaced ones: %j", async (character) => {
    const secrets = createConnectionSecrets(createEnvelope(kms, "key"));
    const id = "😀".repeat(128);
    const secret = character.repeat(512);
    const all = [...Array(4).fill({ secret }), ...Array(16).fill({ secret, validUntil: 1 })];
    const sealed = await secrets.sealWebhookSecrets(id, all);
    // Beside the other attributes of the item of a connection, of at most 400 KB.
    expect(sealed.length).toBeLessThan(50_000);
    expect(await secrets.openWebhookSecrets(id, sealed)).toEqual(all);
    const key = { method: "api_key", apiKey: secret } as const;
    expect(await secrets.openCredentials(id, await secrets.sealCredentials(id, key))).toEqual(key);
  });
});

/** Texts of mixed widths, around the limits in characters and bytes. */
const mixed = (maxLength: number) =>
  fc
    .array(
      fc.tuple(fc.constantFrom(...WIDE_CHARACTERS, " ", "e\u0301", "🇩🇪", "👩‍🚀"), fc.integer({ min: 1, max: 80 })),
      {
        maxLength: maxLength / 20,
      },
    )
    .map((parts) => parts.map(([character, count]) => character.repeat(count)).join(""));

const isCut = (text: string, whole: string, limit: number): boolean =>
  text.endsWith("…[cut]") && [...text].length === limit && whole.startsWith(text.slice(0, -"…[cut]".length));

describe("the OpenAPI document", () => {
  it("states the lengths of an answer's texts and lists that the service guarantees", () => {
    const { components } = JSON.parse(encodeJson(createOpenApiDocument(routes)));
    const { SecurityEvent: event, Alert, Completeness } = components.schemas;
    for (const [name, maxLength] of Object.entries(maxCharacters)) {
      expect(event.properties[name]).toMatchObject({ type: "string", maxLength });
    }
    expect(Alert.properties.eventIds).toMatchObject({ maxItems: 100 });
    expect(Completeness.properties.onlyListed).toMatchObject({ maxItems: 100 });
    expect(Completeness.properties.onlyStored).toMatchObject({ maxItems: 100 });
  });
});

describe("texts of mixed widths", () => {
  it("are stored and listed as they are, or cut between characters and marked", async () => {
    const fields = fc.record({
      errorMessage: mixed(700),
      userAgent: mixed(350),
      resource: mixed(350),
      metadata: fc.dictionary(fc.constantFrom("a", "é", "漢", "😀", '"'), mixed(700), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    });
    await fc.assert(
      fc.asyncProperty(fields, async (given) => {
        const stored = await recorded(given);
        for (const [name, limit] of [
          ["errorMessage", 512],
          ["userAgent", 256],
          ["resource", 256],
        ] as const) {
          const [text = "", whole] = [stored[name], given[name]];
          expect(text.isWellFormed()).toBe(true);
          expect([...whole].length <= limit ? text === whole : isCut(text, whole, limit)).toBe(true);
        }
        const json = JSON.stringify(stored.metadata);
        expect(Buffer.byteLength(json)).toBeLessThanOrEqual(2_048);
        // JSON writes a lone surrogate as an escape.
        expect(json).not.toMatch(/\\ud[89a-f]/);
        if (Buffer.byteLength(JSON.stringify(given.metadata)) <= 2_048) {
          expect(stored.metadata).toEqual(given.metadata);
        } else {
          const { cut, ...kept } = stored.metadata as Record<string, string>;
          expect(cut).toBe(true);
          for (const [key, text] of Object.entries(kept)) {
            const whole = given.metadata[key] ?? "";
            expect(text === whole || isCut(text, whole, [...text].length)).toBe(true);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
