/**
 * Tests detection over HTTP. Attacks are planted in two hours of the service's clock; each hour is judged after its end.
 * Findings made at once are checked at once, and again after their hour was judged.
 */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { eventually, PROVIDER } from "../support/integration.ts";
import { requestFrom } from "../support/request-from.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useService } from "../support/use-service.ts";
import { type WatchedOrganization, watchedOrganization } from "../support/watched-organization.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HERE = "127.0.0.1";
const ELSEWHERE = "127.0.0.2";
/** Time limit for tests that pass hours; most need a tenth of it. */
const PATIENCE = 120_000;

const service = await useService();
const provider = simulatedProvider(service);

const fireDetection = () => controlOf(service).fire(/detection/i);

/** Advances into the first minute of a later hour, before that hour's schedules. */
let minute = 10;
const advanceToHour = async (hours: number): Promise<void> => {
  await service.advance(hours * HOUR - (minute - 1) * MINUTE);
  minute = 1;
};

const organizations = new Map<string, WatchedOrganization>();
const of = (name: string): WatchedOrganization => {
  const known = organizations.get(name) ?? watchedOrganization(service, `watched-${name}`);
  organizations.set(name, known);
  return known;
};

beforeAll(async () => {
  // Early in an hour, so that all planted requests lie in it on a slow machine, too.
  await service.advance(HOUR - (Date.now() % HOUR) + minute * MINUTE);
}, PATIENCE);

/** Findings made at once, by organization. They must be the same after the hour was judged. */
const atOnce = new Map<string, readonly string[]>();
const expectAtOnce = async (name: string, found: readonly string[]): Promise<void> => {
  expect(await of(name).found()).toEqual(found);
  atOnce.set(name, found);
};
const foreign = ["permission_escalation user:eve CRITICAL 1", "policy_violation user:eve HIGH 1"];

describe("at once", () => {
  /** Ten operations of more than half a second, which run beside the other tests. */
  let slowed: Promise<void>;
  const makeSlow = async (): Promise<void> => {
    const ours = of("loop");
    const { accountId, apiKey } = await provider.account(4);
    expect(await ours.connectAndSync(apiKey)).toMatchObject({ status: "succeeded" });
    // Also planted for the hour: an unusual number of runs.
    for (let i = 0; i < 13; i++) expect(await ours.sync()).toMatchObject({ status: "succeeded" });
    expect(await ours.found()).toEqual([]);
    await provider.fail(accountId, { kind: "slow", ms: 600 });
    for (let i = 0; i < 2; i++) expect(await ours.sync({ mode: "full" })).toMatchObject({ status: "succeeded" });
    await provider.recover();
  };
  beforeAll(() => {
    slowed = makeSlow();
    // A rejection is reported where the promise is awaited.
    slowed.catch(() => undefined);
  });

  it.each([
    ["PUT settings", "settings:manage"],
    ["POST circuit-breaker", "breaker:control"],
  ])("a denied %s is found", async (request, permission) => {
    const ours = of(permission.replace(":", "-"));
    await ours.deny("eve", [request], "member");
    const [event] = await ours.events("eventType=PERMISSION_DENIED");
    expect(await ours.findings()).toEqual([
      {
        alertId: expect.any(String),
        rule: "permission_escalation",
        subject: "user:eve",
        evidence: { eventIds: [event?.id], count: 1, threshold: 1, permissions: [permission] },
        firstSeen: event?.timestamp,
        lastSeen: event?.timestamp,
      },
    ]);
    await expectAtOnce(permission.replace(":", "-"), ["permission_escalation user:eve HIGH 1"]);
  });

  it("a denied GET of the settings causes no finding", async () => {
    await of("looks").deny("eve", ["GET settings"]);
    await expectAtOnce("looks", []);
  });

  it("a call from an address that the organization does not allow is found", async () => {
    const ours = of("blocked");
    const settings = { ipAllowlist: [`${HERE}/32`], recordAccess: { member: [], guest: [] } };
    expect((await ours.call("PUT", "settings", settings)).status).toBe(200);
    const answer = await requestFrom(service, ELSEWHERE, ["GET", `${PROVIDER}/sync`], await ours.as());
    expect(answer.status).toBe(403);
    await expectAtOnce("blocked", [`policy_violation address:${ELSEWHERE} HIGH 1`]);
  });

  it.each([
    ["security", "security"],
    ["security/alert", "security/alert"],
    ["/plants", "/plants"],
    ["security", "security/alert"],
  ])("another organization's cursor of %s is found in %s, and answered as a forged one is", async (from, to) => {
    const name = `${from} to ${to}`.replaceAll(/[ /]/g, "-");
    const [theirs, ours] = [of(`their-${name}`), of(`our-${name}`)];
    for (const id of [1, 2]) {
      await theirs.call("POST", "/plants", { id, name: "Monstera" });
      await theirs.call("POST", "security/alert", { action: "generate_alert", title: "Look", riskLevel: "low" });
    }
    const { next = "" } = await theirs.call("GET", `${from}?limit=1`);
    const cursor = new URL(next, service.stack.apiUrl).searchParams.get("cursor") ?? "";
    expect(cursor).not.toBe("");
    const forged = `${cursor.slice(0, 20)}${cursor[20] === "A" ? "B" : "A"}${cursor.slice(21)}`;
    const send = (value: string) => ours.call("GET", `${to}?limit=1&cursor=${value}`, undefined, { userId: "eve" });

    const refused = await send(forged);
    expect(refused).toMatchObject({ status: 400, body: { error: 40003 } });
    expect(await ours.findings()).toEqual([]);
    expect((await send(cursor)).text).toBe(refused.text);
    await expectAtOnce(`our-${name}`, foreign);
    await expectAtOnce(`their-${name}`, []);
    const shown = [await ours.findings(), await ours.events(), await ours.alerts()];
    expect(JSON.stringify(shown)).not.toContain(theirs.organizationId);
    expect(await theirs.events("userId=eve")).toEqual([]);
  });

  it("another organization's OAuth state is found, and answered like a forged one", async () => {
    const [theirs, ours] = [of("their-state"), of("our-state")];
    const { state } = (await theirs.call("POST", "connection/authorize")).body as { state: string };
    const send = (value: string) =>
      ours.call("PUT", "connection", { method: "oauth", code: "ac_any", state: value }, { userId: "eve" });
    const refused = await send(`${state.slice(0, 20)}${state[20] === "A" ? "B" : "A"}${state.slice(21)}`);
    expect(refused.status).toBe(400);
    expect(await ours.findings()).toEqual([]);
    expect((await send(state)).text).toBe(refused.text);
    await expectAtOnce("our-state", foreign);
    await expectAtOnce("their-state", []);
  });

  it("a request for another organization's plant causes no finding", async () => {
    await of("their-plant").call("POST", "/plants", { id: 7, name: "Monstera" });
    expect((await of("our-plant").call("DELETE", "/plants/7")).status).toBe(404);
    await expectAtOnce("our-plant", []);
  });

  it(
    "that the provider has become slow is found",
    async () => {
      await slowed;
      // The worker judges after its run has ended.
      const [found, ...others] = await eventually("the finding is stored", async () => {
        const findings = await of("loop").findings();
        return findings.length > 0 && findings;
      });
      expect(others).toEqual([]);
      expect(found).toMatchObject({
        rule: "performance_degradation",
        subject: "provider",
        evidence: { count: 10, threshold: 5, leastMs: 500 },
      });
      expect(found?.evidence.eventIds).toHaveLength(10);
    },
    PATIENCE,
  );
});

describe("after an hour", () => {
  const plantRefusals = async (): Promise<void> => {
    await of("brute").expire("eve", "eve", "eve", "eve", "eve");
    await of("four").expire("eve", "eve", "eve", "eve");
    for (const name of ["breached", "at-home"]) await of(name).expire("eve", "eve", "eve", "eve", "eve");
    await of("breached").succeed("eve", ELSEWHERE);
    await of("at-home").succeed("eve", HERE);
    const users = Array.from({ length: 11 }, (_, i) => `user-${i}`);
    await of("spray").expire(...Array.from({ length: 10 }, () => users).flat());

    const denied = of("denied");
    await denied.deny("eve", ["GET security", "POST sync", "GET records/invoices"]);
    await denied.deny(
      "retry",
      Array.from({ length: 6 }, () => "GET security"),
    );
    const types = ["customers", "subscriptions", "invoices", "payments"];
    await denied.deny("reader", ["GET security", ...types.map((type) => `GET records/${type}`)]);
    for (const name of ["quiet", "nearly"]) await of(name).deny("eve", ["GET security"]);
  };

  const connected = ["limited", "twice", "refused", "silent", "held", "gone"];
  const accounts = new Map<string, string>();
  const accountOf = (name: string): string => accounts.get(name) ?? "";

  const plantSyncs = async (): Promise<void> => {
    const keys = new Map<string, string>();
    for (const name of connected) {
      const { accountId, apiKey } = await provider.account(4, { seed: name });
      accounts.set(name, accountId);
      keys.set(name, apiKey);
    }
    const key = (name: string) => keys.get(name) ?? "";
    await provider.fail(accountOf("refused"), { kind: "error", status: 401, pathPrefix: "/v1/customers" });
    for (const name of connected) await of(name).connectAndSync(key(name));
    for (let i = 0; i < 2; i++) await of("refused").connectAndSync(key("refused"));
    expect(await of("refused").runs()).toEqual([1, 2, 3].map(() => expect.objectContaining({ status: "failed" })));

    await provider.fail(accountOf("limited"), { kind: "rate_limit", times: 3, retryAfterSeconds: 0 });
    await provider.fail(accountOf("twice"), { kind: "rate_limit", times: 2, retryAfterSeconds: 0 });
    for (const name of ["limited", "twice"]) for (let i = 0; i < 2; i++) await of(name).sync();
    await of("held").call("POST", "circuit-breaker", { action: "force_open", reason: "maintenance" });
    await of("gone").call("DELETE", "connection");
    // This refusal does not count as a provider failure, so the circuit stays closed.
    await provider.fail(accountOf("silent"), { kind: "error", status: 403, pathPrefix: "/v1/events" });
  };

  /** A sprayed user is found, too, if the refusals came slowly enough for a count to name the user. */
  const isOfSprayedUser = (line: string) => line.startsWith("repeated_auth_failures user:user-");

  const foundOf = async (names: readonly string[]) => {
    const found = await Promise.all(names.map(async (name) => [name, await of(name).found()] as const));
    return Object.fromEntries(found.map(([name, lines]) => [name, lines.filter((line) => !isOfSprayedUser(line))]));
  };

  const expected = {
    brute: ["repeated_auth_failures user:eve HIGH 1"],
    four: [],
    breached: ["repeated_auth_failures user:eve CRITICAL 1"],
    "at-home": ["repeated_auth_failures user:eve HIGH 1"],
    spray: [`repeated_auth_failures address:${HERE} HIGH 1`],
    denied: ["permission_escalation user:eve HIGH 1"],
    quiet: [],
    nearly: [],
    loop: ["abnormal_sync_frequency trigger:manual MEDIUM 1", "performance_degradation provider MEDIUM 1"],
    limited: ["rate_limit_violations limit:provider HIGH 1"],
    twice: [],
    refused: ["repeated_auth_failures connection HIGH 1"],
    silent: [],
    held: [],
    gone: [],
  };
  const names = Object.keys(expected);

  beforeAll(async () => {
    await plantRefusals();
    await plantSyncs();
  }, PATIENCE);

  it("nothing is found before the hour has ended, even if detection is fired by hand", async () => {
    await fireDetection();
    const { loop, ...others } = await foundOf(names);
    expect(loop).toEqual(["performance_degradation provider MEDIUM 1"]);
    expect(Object.values(others).flat()).toEqual([]);
  });

  it("credentials that the provider refuses raise an alert at once", async () => {
    expect(await of("refused").alerts()).toContainEqual(
      expect.objectContaining({
        rule: "event_threshold",
        title: "The provider refused the credentials of the connection",
        level: "HIGH",
        count: 3,
      }),
    );
  });

  it(
    "detection finds all attacks, each in its own organization only",
    async () => {
      await advanceToHour(1);
      await fireDetection();
      expect(await foundOf(names)).toEqual(expected);
      expect(await of("nobody").findings()).toEqual([]);
    },
    PATIENCE,
  );

  it("a finding has its evidence, for any filter of the events", async () => {
    const ours = of("brute");
    const [finding, ...others] = await ours.findings("&userId=nobody&riskLevel=low");
    const events = await ours.events("eventType=AUTHENTICATION_FAILURE");
    expect(others).toEqual([]);
    expect(finding).toEqual({
      alertId: (await ours.alerts()).find(({ rule }) => rule === "repeated_auth_failures")?.id,
      rule: "repeated_auth_failures",
      subject: "user:eve",
      evidence: {
        eventIds: events.map(({ id }) => id),
        count: 5,
        threshold: 5,
        windowMs: 15 * MINUTE,
        addresses: [HERE],
      },
      firstSeen: events.at(-1)?.timestamp,
      lastSeen: events.at(0)?.timestamp,
    });
    const [breach] = await of("breached").findings();
    expect(breach?.evidence).toMatchObject({ count: 5, addresses: [HERE], succeededFrom: [ELSEWHERE] });
    expect(breach?.evidence.eventIds).toHaveLength(6);
    const spray = (await of("spray").findings()).find(({ subject }) => subject === `address:${HERE}`);
    expect(spray?.evidence).toMatchObject({ usersThreshold: 10, threshold: 30 });
    expect(spray?.evidence.count).toBeGreaterThanOrEqual(100);
  });

  it("immediate findings are not counted again", async () => {
    expect(await foundOf([...atOnce.keys()])).toEqual(Object.fromEntries(atOnce));
  });

  it(
    "the hour is judged once, however often detection runs",
    async () => {
      await fireDetection();
      await service.advance(10 * MINUTE);
      minute += 10;
      expect(await foundOf(names)).toEqual(expected);
    },
    PATIENCE,
  );
});

describe("hours later", () => {
  let resolved: string | undefined;
  beforeAll(async () => {
    resolved = (await of("brute").findings())[0]?.alertId;
    await of("brute").call("POST", "security/alert", { action: "resolve", alertIds: [resolved] });
    expect(await of("brute").findings()).toEqual([]);
    await service.advance(10 * HOUR);
    await of("brute").expire("eve", "eve", "eve", "eve", "eve");
    await of("quiet").deny(
      "eve",
      Array.from({ length: 30 }, () => "GET security"),
    );
    await of("nearly").deny(
      "eve",
      Array.from({ length: 29 }, () => "GET security"),
    );
    await advanceToHour(1);
    await fireDetection();
  }, PATIENCE);

  it("the same finding makes a new alert once the old one is resolved", async () => {
    const [finding] = await of("brute").findings();
    expect(finding).toMatchObject({ rule: "repeated_auth_failures", subject: "user:eve", evidence: { count: 5 } });
    expect(finding?.alertId).not.toBe(resolved);
    const both = (await of("brute").alerts()).filter(({ rule }) => rule === "repeated_auth_failures");
    expect(both.map(({ id, status }) => [id, status])).toEqual([
      [finding?.alertId, "open"],
      [resolved, "resolved"],
    ]);
  });

  it("thirty calls in an hour are unusual for a user with one call in ten hours; twenty-nine are not", async () => {
    expect(await of("quiet").found()).toEqual(["unusual_api_usage user:eve MEDIUM 1"]);
    const [finding] = await of("quiet").findings();
    expect(finding?.evidence).toMatchObject({ count: 30, threshold: 30, baselineCalls: 1 });
    expect(finding?.evidence.probability).toBeLessThan(1e-6);
    expect(await of("nearly").found()).toEqual([]);
  });

  it("a connection whose runs all fail raises one sync-silence alert; a held or removed connection raises none", async () => {
    expect(await of("silent").call("GET", "circuit-breaker")).toMatchObject({
      body: { organizationStats: { state: "closed" } },
    });
    const silences = (await of("silent").found()).filter((line) => line.startsWith("sync_silence"));
    expect(silences).toEqual([expect.stringMatching(/^sync_silence connection HIGH \d+$/)]);
    const [first] = (await of("silent").findings()).filter(({ rule }) => rule === "sync_silence");
    expect((first?.lastSeen ?? 0) - (first?.firstSeen ?? 0)).toBeGreaterThanOrEqual(8 * HOUR);
    for (const name of ["held", "gone", "limited"]) {
      expect((await of(name).found()).filter((line) => line.startsWith("sync_silence"))).toEqual([]);
    }
  });
});
