import { describe, expect, it, jest } from "@jest/globals";
import { circuitBreakerRoutes } from "../../../shared/api/circuit-breaker-routes.ts";
import { plantRoutes } from "../../../shared/api/plant-routes.ts";
import { recordRoutes } from "../../../shared/api/record-routes.ts";
import { reportRoutes } from "../../../shared/api/report-routes.ts";
import { settingsRoutes } from "../../../shared/api/settings-routes.ts";
import { type AdmissionDependencies, createAdmission } from "../../../shared/http/admit.ts";
import { RefusedCallerError } from "../../../shared/http/authenticate.ts";
import type { Refusal } from "../../../shared/http/refusals.ts";
import type { Route } from "../../../shared/http/route.ts";
import { recordTypes } from "../../../shared/records/record.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { defaultSettings, type Settings } from "../../../shared/settings/settings.ts";
import type { Caller } from "../../../shared/terms/caller.ts";
import { type Role, roles } from "../../../shared/terms/permissions.ts";
import { httpEvent } from "../../support/http-event.ts";

const callerOf = (role: Role, organizationId: string | undefined = "acme"): Caller => ({
  userId: "ada",
  organizationId,
  role,
  sessionId: undefined,
  scope: organizationId === undefined ? "user:ada" : `org:${organizationId}`,
});
const withoutOrganization: Caller = { ...callerOf("admin"), organizationId: undefined, scope: "user:ada" };

type Situation = {
  route?: Route;
  caller?: Caller | DomainError;
  settings?: Partial<Settings> | DomainError;
  ipAddress?: string;
  type?: string;
};

/** Admits a caller. The outcome is an error code, or `admitted`. */
const admitted = async ({
  route = settingsRoutes.getSettings,
  caller = callerOf("admin"),
  settings = {},
  ipAddress = "192.0.2.7",
  type,
}: Situation) => {
  const refusals: Refusal[] = [];
  const read = jest.fn(async (_organizationId: string): Promise<Settings> => {
    if (settings instanceof DomainError) throw settings;
    return { ...defaultSettings, ...settings };
  });
  const parts: AdmissionDependencies = {
    authenticate: async () => {
      if (caller instanceof DomainError) throw caller;
      return caller;
    },
    settings: { read },
    recordRefusal: async (refusal) => {
      refusals.push(refusal);
    },
  };
  const event = httpEvent({ ...(type !== undefined && { pathParameters: { type } }) });
  event.requestContext.http.sourceIp = ipAddress;
  const outcome = await createAdmission(
    route,
    parts,
  )(event).then(
    (found) => (found === caller ? "admitted" : found),
    (error: unknown) => (error instanceof DomainError ? error.code : error),
  );
  return { outcome, refusals, read };
};

describe("admission to an endpoint of the integration", () => {
  const closed = { ipAllowlist: ["10.0.0.0/8"] };
  const expired = new DomainError("expired_token", "The token has expired.");
  const away = new DomainError("store_unavailable", "The store did not answer.");

  it.each<[string, Situation, string, number]>([
    ["nobody", { caller: expired, settings: closed }, "expired_token", 0],
    ["a token without an organization", { caller: withoutOrganization, settings: closed }, "organization_required", 0],
    ["another role at another address", { caller: callerOf("billing"), settings: closed }, "role_may_not", 0],
    ["another address", { settings: closed }, "ip_address_not_allowed", 1],
    ["an address of the list", { settings: closed, ipAddress: "10.1.2.3" }, "admitted", 1],
    ["any caller without an allowlist", {}, "admitted", 1],
    ["any caller while the settings cannot be read", { settings: away }, "store_unavailable", 1],
    [
      "a role without permission while the settings cannot be read",
      { caller: callerOf("guest"), settings: away },
      "role_may_not",
      0,
    ],
  ])("accepts or refuses %s, in the order of checks", async (_who, situation, expected, reads) => {
    const { outcome, read } = await admitted(situation);
    expect(outcome).toBe(expected);
    // A request that an earlier check refuses does not read the settings.
    expect(read.mock.calls).toEqual(Array.from({ length: reads }, () => ["acme"]));
  });

  it.each([
    ["192.0.2.7", ["192.0.2.0/24"], true],
    ["192.0.3.7", ["192.0.2.0/24"], false],
    ["::ffff:192.0.2.7", ["192.0.2.0/24"], true],
    ["::ffff:192.0.3.7", ["192.0.2.0/24"], false],
    ["192.0.2.7", ["::ffff:192.0.2.0/120"], true],
    ["2001:db8::7", ["192.0.2.0/24", "2001:db8::/32"], true],
    ["2001:db9::7", ["192.0.2.0/24", "2001:db8::/32"], false],
    ["192.0.2.7", ["::/0"], false],
    ["unknown", ["0.0.0.0/0", "::/0"], false],
  ])("from %s if %j may call: %p", async (ipAddress, ipAllowlist, isAllowed) => {
    for (const route of [settingsRoutes.changeSettings, circuitBreakerRoutes.getCircuitBreaker]) {
      const { outcome } = await admitted({ route, ipAddress, settings: { ipAllowlist } });
      expect(outcome).toBe(isAllowed ? "admitted" : "ip_address_not_allowed");
    }
  });

  it("reads the settings each time", async () => {
    let ipAllowlist: string[] = [];
    const admit = createAdmission(settingsRoutes.getSettings, {
      authenticate: async () => callerOf("admin"),
      settings: { read: async () => ({ ...defaultSettings, ipAllowlist }) },
    });
    await expect(admit(httpEvent())).resolves.toMatchObject({ userId: "ada" });
    ipAllowlist = ["10.0.0.0/8"];
    await expect(admit(httpEvent())).rejects.toMatchObject({ code: "ip_address_not_allowed" });
    ipAllowlist = [];
    await expect(admit(httpEvent())).resolves.toMatchObject({ userId: "ada" });
  });
});

describe("access to records", () => {
  const route = recordRoutes.listRecords;
  const subsets = [
    [],
    ["invoices"],
    ["customers", "payments"],
    [...recordTypes],
  ] as Settings["recordAccess"]["member"][];
  const table = roles.flatMap((role) =>
    subsets.flatMap((member) => subsets.map((guest) => [role, { member, guest }] as const)),
  );

  it.each(table)("of a %s with %j covers the types of that role", async (role, recordAccess) => {
    for (const type of recordTypes) {
      const { outcome } = await admitted({ route, caller: callerOf(role), settings: { recordAccess }, type });
      const mayRead = role === "admin" || role === "billing" || recordAccess[role].includes(type);
      expect([type, outcome]).toEqual([type, mayRead ? "admitted" : "role_may_not"]);
    }
  });

  it.each([
    ["admin", "admitted"],
    ["billing", "admitted"],
    ["member", "role_may_not"],
    ["guest", "role_may_not"],
  ] as const)("of a %s to a type that does not exist: %s", async (role, expected) => {
    const recordAccess = { member: [...recordTypes], guest: [...recordTypes] };
    for (const type of ["charges", "", "__proto__", "length", "Invoices", "invoices,payments", undefined]) {
      const situation = { route, caller: callerOf(role), settings: { recordAccess } };
      const { outcome, refusals } = await admitted(type === undefined ? situation : { ...situation, type });
      // A role with access to all types is admitted; the parser refuses the unknown type.
      expect(outcome).toBe(expected);
      if (type) for (const { error } of refusals) expect(error.message).not.toContain(type);
    }
  });

  it("is refused because of the address first", async () => {
    const settings = { ipAllowlist: ["10.0.0.0/8"] };
    const { outcome } = await admitted({ route, caller: callerOf("guest"), settings, type: "invoices" });
    expect(outcome).toBe("ip_address_not_allowed");
  });

  it("is not checked on other routes", async () => {
    const situation = { route: circuitBreakerRoutes.getCircuitBreaker, caller: callerOf("member") };
    await expect(admitted(situation)).resolves.toMatchObject({ outcome: "admitted" });
  });
});

describe("a refusal", () => {
  const closed = { ipAllowlist: ["10.0.0.0/8"] };

  it("is recorded each time, with route, error and caller", async () => {
    const caller = callerOf("admin");
    for (let i = 0; i < 20; i++) {
      const { refusals } = await admitted({ caller, settings: closed });
      expect(refusals).toEqual([
        { route: settingsRoutes.getSettings, event: expect.anything(), error: expect.any(DomainError), caller },
      ]);
      expect(refusals[0]?.error).toMatchObject({
        code: "ip_address_not_allowed",
        message: "The organization does not allow calls from the address 192.0.2.7.",
      });
    }
  });

  it.each<[string, Situation, Caller | undefined]>([
    ["a bad token", { caller: new DomainError("invalid_token", "No.") }, undefined],
    [
      "an expired token",
      { caller: new RefusedCallerError(new DomainError("expired_token", "No."), callerOf("admin")) },
      callerOf("admin"),
    ],
    ["a role", { caller: callerOf("member") }, callerOf("member")],
    [
      "a record type",
      { route: recordRoutes.listRecords, caller: callerOf("guest"), type: "invoices" },
      callerOf("guest"),
    ],
  ])("of %s names the caller if the token's signature is valid", async (_what, situation, caller) => {
    const { refusals } = await admitted(situation);
    expect(refusals).toHaveLength(1);
    expect(refusals[0]?.caller).toEqual(caller);
  });

  it("is not recorded if the service itself failed", async () => {
    for (const situation of [
      { settings: new DomainError("store_unavailable", "No.") },
      { caller: new DomainError("key_set_unavailable", "No.") },
    ]) {
      const { refusals } = await admitted(situation);
      expect(refusals).toEqual([]);
    }
  });
});

describe("other routes", () => {
  it("of the plants read no settings", async () => {
    for (const caller of [withoutOrganization, callerOf("guest")]) {
      const situation = { route: plantRoutes.listPlants, caller, settings: { ipAllowlist: ["10.0.0.0/8"] } };
      const { outcome, read } = await admitted(situation);
      expect(outcome).toBe("admitted");
      expect(read).not.toHaveBeenCalled();
    }
  });

  it("that are public require no caller", async () => {
    const route = { ...plantRoutes.listPlants, permission: "public" } as const;
    await expect(createAdmission(route, {})(httpEvent())).resolves.toBeUndefined();
  });

  it("that take a link admit who created it, by the organization's settings; only their refusals are recorded", async () => {
    const attempt = async (ipAllowlist: string[], openLink: () => Promise<Caller>) => {
      const refusals: unknown[] = [];
      const admit = createAdmission(reportRoutes.openReportLink, {
        openLink,
        settings: {
          read: async () => ({
            ipAllowlist,
            recordAccess: { member: [], guest: [] },
            siemFeed: false,
            accountActivity: true,
            drill: "off",
          }),
        },
        recordRefusal: async ({ caller }) => void refusals.push(caller),
      });
      const outcome = await admit(httpEvent()).catch((error: unknown) => (error as DomainError).code);
      return { outcome, refusals };
    };
    const guest = callerOf("guest");
    expect(await attempt([], async () => guest)).toEqual({ outcome: guest, refusals: [] });
    expect(await attempt(["10.0.0.0/8"], async () => guest)).toEqual({
      outcome: "ip_address_not_allowed",
      refusals: [guest],
    });
    for (const code of ["link_not_found", "link_ended", "invalid_field"] as const) {
      const refuse = () => Promise.reject(new DomainError(code, "No."));
      expect(await attempt([], refuse)).toEqual({ outcome: code, refusals: [] });
    }
    expect(() => createAdmission(reportRoutes.openReportLink, { authenticate: async () => guest })).toThrow();
  });

  it("cannot be created without a required dependency", () => {
    expect(() => createAdmission(plantRoutes.listPlants, {})).toThrow("needs authentication");
    const authenticate = async () => callerOf("admin");
    expect(() => createAdmission(settingsRoutes.getSettings, { authenticate })).toThrow(
      "needs the organization's settings",
    );
    expect(() => createAdmission(plantRoutes.listPlants, { authenticate })).not.toThrow();
  });
});

describe("a request that is not admitted", () => {
  const attempt = async (error: unknown, caller: Caller | DomainError = callerOf("admin")) => {
    const [refused, failures]: [unknown[], unknown[]] = [[], []];
    const admit = createAdmission(settingsRoutes.getSettings, {
      authenticate: async () => {
        if (caller instanceof DomainError) throw caller;
        return caller;
      },
      settings: { read: () => Promise.reject(error) },
      recordRefusal: async (refusal) => void refused.push(refusal),
      noteFailure: async (...failure) => void failures.push(failure),
    });
    const thrown: unknown = await admit(httpEvent()).catch((failure: unknown) => failure);
    return { thrown, refused, failures };
  };

  it.each([
    ["the store fails", new DomainError("store_unavailable", "No."), [["acme", "store"]]],
    ["the service fails", new DomainError("internal", "No."), []],
    ["of a fault", new TypeError("no"), []],
  ])("because %s is no refusal", async (_why, error, failures) => {
    await expect(attempt(error)).resolves.toEqual({ thrown: error, refused: [], failures });
  });

  it("because of the caller is recorded, and is no failure of the store", async () => {
    const error = new DomainError("expired_token", "No.");
    const { thrown, refused, failures } = await attempt(undefined, error);
    expect([thrown, refused.length, failures]).toEqual([error, 1, []]);
  });

  it.each<[string, Caller, string]>([
    ["role", callerOf("guest"), "The role guest does not have the permission settings:manage."],
    [
      "role, whose claim is missing",
      { ...callerOf("guest"), missing: { role: "No claim." } },
      "The role guest does not have the permission settings:manage. No claim.",
    ],
    ["organization", withoutOrganization, "The token names no organization."],
    [
      "organization, whose claim is missing",
      { ...withoutOrganization, missing: { organization: "No claim." } },
      "No claim.",
    ],
  ])("says what is wrong with the %s", async (_what, caller, message) => {
    expect((await attempt(undefined, caller)).thrown).toMatchObject({ message });
  });
});
