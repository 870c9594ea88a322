/** The provider's log of the account's activity as security events, over HTTP. */
import { beforeAll, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useService } from "../support/use-service.ts";

const HOUR = 3_600_000;
const ACTIVITY = "eventType=PROVIDER_ACCOUNT_ACTIVITY&since=0";
const invite = { type: "user_invite", user_invite: { invited_user_email: "eve@example.com", roles: ["admin"] } };

const service = await useService();
const provider = simulatedProvider(service);
const ours = organizationOf(service, "activity");
const restricted = organizationOf(service, "activity-restricted");
let account: Awaited<ReturnType<typeof provider.account>>;

type Exported = {
  status: string;
  files: { name: string; url: string }[];
  personalData: { file: string; fields: string[] }[];
};

/** The paths of all texts in a value that contain a part. Entries of a list have the list's path. */
const pathsWith = (part: string, value: unknown, path = ""): string[] => {
  if (typeof value === "string") return value.includes(part) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one) => pathsWith(part, one, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => pathsWith(part, one, path === "" ? name : `${path}.${name}`));
};

type State = { state: string; reason?: string; readUntil?: number };
const stateOf = async (organization: typeof ours): Promise<State | undefined> =>
  ((await organization.call("GET", "connection")).body as { accountActivity?: State }).accountActivity;

beforeAll(async () => {
  account = await provider.account(20, { seed: "activity" });
  await ours.connect(account.apiKey);
  await restricted.connect(account.apiKey.replace("sk_test_", "rk_test_"));
  await Promise.all([ours.lastRun(), restricted.lastRun()]);
});

it("is read every hour, each entry once, with source, actor and details", async () => {
  expect(await stateOf(ours)).toEqual({ state: "on" });
  const actor = { type: "user", email: "owner@example.com" };
  const { id } = await provider.activity(account.accountId, { type: "user_invite_created", actor, details: invite });
  await provider.activity(account.accountId, { type: "of_a_later_version" });
  await service.advance(HOUR);
  const events = await eventually("the entries are read", async () => {
    const found = await ours.events(`${ACTIVITY}&source=provider`);
    return found.length === 2 && found;
  });
  expect(events.find(({ action }) => action === "user_invite_created")).toMatchObject({
    category: "security",
    riskLevel: "MEDIUM",
    source: "provider",
    resource: account.accountId,
    metadata: { activityId: id, type: "user_invite_created", occurredAt: expect.any(Number), actor, details: invite },
  });
  expect(events.find(({ action }) => action === "of_a_later_version")).toMatchObject({ riskLevel: "LOW" });
  const { readUntil } = (await stateOf(ours)) ?? {};
  expect(await stateOf(ours)).toEqual({ state: "on", readUntil: expect.any(Number) });
  await service.advance(2 * HOUR);
  expect((await stateOf(ours))?.readUntil).toBeGreaterThan(readUntil ?? 0);
  expect(await ours.events(ACTIVITY)).toHaveLength(2);
});

it("is not available to a restricted key, which is no alert and no failed run", async () => {
  expect(await stateOf(restricted)).toEqual({ state: "not_available", reason: "permission_denied" });
  expect((await restricted.call("GET", "security/alert")).body).toEqual([]);
  expect(await restricted.events("success=false&since=0")).toMatchObject([
    { eventType: "PROVIDER_REQUEST", riskLevel: "LOW", action: "list_account_activity" },
  ]);
  expect((await restricted.call("GET", "connection")).body).toMatchObject({ status: "connected" });
});

it("is not read while the settings switch it off", async () => {
  expect(await ours.call("PUT", "settings", { accountActivity: "no" })).toMatchObject({ status: 400 });
  const off = await ours.call("PUT", "settings", { accountActivity: false });
  expect(off).toMatchObject({ status: 200, body: { accountActivity: false } });
  await provider.activity(account.accountId, { type: "while_off" });
  await service.advance(2 * HOUR);
  expect(await stateOf(ours)).toMatchObject({ state: "off" });
  expect(await ours.events(ACTIVITY)).toHaveLength(2);
  expect(await ours.call("PUT", "settings", {})).toMatchObject({ body: { accountActivity: true } });
  await service.advance(HOUR);
  expect(await ours.events(ACTIVITY)).toHaveLength(3);
});

it("raises the stories of the account at once, each one alert, and none for what the first read has seen", async () => {
  type Found = { rule: string; subject: string; level: string; eventIds: string[]; attack?: object[]; count: number };
  const alerts = async () =>
    ((await ours.call("GET", "security/alert")).body as Found[]).filter(({ rule }) => rule !== "event_threshold");
  expect(await alerts()).toEqual([]);
  const eve = { type: "user", email: "eve@example.com" };
  const key = { type: "api_key", api_key: { id: "mk_1Key" } };
  await provider.activity(account.accountId, { type: "api_key_viewed", actor: eve, details: key });
  const roles = {
    type: "user_roles",
    user_roles: { user_email: "eve@example.com", old_roles: [], new_roles: ["admin"] },
  };
  await provider.activity(account.accountId, { type: "user_roles_updated", details: roles });
  await provider.activity(account.accountId, { type: "payout_destination_updated", details: { type: "payout" } });
  await service.advance(2 * HOUR);
  const found = await eventually("the stories are alerts", async () => {
    const all = await alerts();
    return all.length === 2 && all;
  });
  expect(found.sort((a, b) => (a.rule < b.rule ? -1 : 1))).toMatchObject([
    { rule: "key_made_by_stranger", subject: "actor:eve@example.com", level: "HIGH", count: 1 },
    { rule: "payout_after_access", subject: "account", level: "CRITICAL", attack: [{ technique: "T1657" }], count: 1 },
  ]);
  expect(
    await ours.call("POST", "mutes", { rules: ["access_burst"], until: Date.now() + 90 * HOUR, reason: "x" }),
  ).toMatchObject({ status: 201 });
  // Then the key is refused: both sides are one story.
  await provider.fail(account.accountId, { kind: "error", status: 401 });
  await ours.call("POST", "sync");
  await eventually("the story of the key", async () =>
    (await alerts()).some(({ rule }) => rule === "key_seen_then_refused"),
  );
  await provider.recover();
  const story = (await alerts()).find(({ rule }) => rule === "key_seen_then_refused");
  expect(story).toMatchObject({ subject: "account", level: "CRITICAL" });
  const types = await Promise.all(
    (story?.eventIds ?? []).map(
      async (id) => ((await ours.call("GET", `security/events/${id}`)).body as { eventType: string }).eventType,
    ),
  );
  expect([...new Set(types)].sort()).toEqual(["AUTHENTICATION_FAILURE", "PROVIDER_ACCOUNT_ACTIVITY"]);
});

it("has addresses in fields that each export names as personal data", async () => {
  const ask = async (format: string) => {
    const { body } = await ours.call("POST", "security/exports", { format, since: 0 });
    const { id } = body as { id: string };
    const read = async () => (await ours.call("GET", `security/exports/${id}`)).body as Exported;
    const made = await eventually(`${format} is exported`, async () => {
      const one = await read();
      return one.status === "completed" && one;
    });
    return { made, text: await (await fetch(made.files[0]?.url ?? "")).text() };
  };
  for (const format of ["ndjson", "ocsf"]) {
    const { made, text } = await ask(format);
    const [{ file, fields } = { file: "", fields: [] }, ...others] = made.personalData;
    expect([file, others]).toEqual([made.files[0]?.name, []]);
    const paths = text
      .split("\n")
      .filter(Boolean)
      .flatMap((line) => pathsWith("@example.com", JSON.parse(line)));
    expect(new Set(paths.map((path) => path.split(".").at(-1)))).toEqual(
      new Set(["email", "user_email", "invited_user_email"]),
    );
    expect(paths.filter((path) => !fields.some((field) => `${path}.`.startsWith(`${field}.`)))).toEqual([]);
  }
  const { made, text } = await ask("csv");
  expect(made.personalData).toMatchObject([
    { file: "events.csv", fields: expect.arrayContaining(["metadata.actor.email"]) },
  ]);
  expect(text).toContain("eve@example.com");
});

it("loses an actor's and an invited user's address by an erasure of the address", async () => {
  for (const userId of ["eve@example.com", "owner@example.com"]) {
    const { body } = await ours.call("POST", "erasure", { scope: "user", userId });
    const { id } = body as { id: string };
    await eventually(`${userId} is erased`, async () => {
      const erasures = (await ours.call("GET", "erasure")).body as { id: string; status: string }[];
      return erasures.some((one) => one.id === id && one.status === "completed");
    });
  }
  const events = await ours.events(ACTIVITY);
  expect(JSON.stringify(events)).not.toMatch(/eve@example|owner@example/);
});
