import { describe, expect, it } from "@jest/globals";
import { operatorActions } from "../../../../shared/circuit-breaker/circuit.ts";
import { ruleOfEvent, subjectOfEvent, titleOfEvent } from "../../../../shared/security/alerts/event-title.ts";
import { eventTypes, type SecurityEvent, sources } from "../../../../shared/security/security-event.ts";
import { errorKinds } from "../../../../shared/terms/risk-levels.ts";

type Described = Parameters<typeof titleOfEvent>[0];

const failed = (eventType: string, fields: Partial<SecurityEvent> = {}): Described => ({
  eventType,
  source: "system",
  success: false,
  ...fields,
});
const ofProvider = (errorCategory: string) => ({ metadata: { errorCategory } });

const actions = ["open", "half_open", "close", "require_reconnect", "list_invoices", ...operatorActions];
const errorCodes = ["40302", "40301", "40004", "not_storable", "circuit_open", "http_500"];

/** Every event that differs in what a title depends on. */
const everyEvent = (): Described[] =>
  Object.keys(eventTypes).flatMap((eventType) =>
    sources.flatMap((source) =>
      [undefined, ...actions].flatMap((action) =>
        [undefined, ...errorCodes].flatMap((errorCode) =>
          [{}, ...errorKinds.map((errorCategory) => ({ errorCategory }))].flatMap((metadata) =>
            [true, false].map((success) => ({ eventType, source, action, errorCode, metadata, success })),
          ),
        ),
      ),
    ),
  );

describe("the title of an event's alert", () => {
  it("is a short sentence without names of the code, whatever the event", () => {
    const titles = new Set(everyEvent().map(titleOfEvent));
    expect(titles.size).toBeGreaterThan(35);
    for (const title of titles) {
      expect(title).toMatch(/^(?!.*\b(?:operation|type of its own|errors with)\b)[A-Z][A-Za-z :,']{10,110}$/);
    }
  });

  it("differs from the general meaning of the event type", () => {
    const meanings = new Set<string>(Object.values(eventTypes));
    expect(everyEvent().filter((event) => meanings.has(titleOfEvent(event)))).toEqual([]);
  });

  it.each<[title: string, event: Described]>([
    [
      "The provider refused the API key or the authorization while connecting",
      failed("PROVIDER_REQUEST", { source: "user", action: "read_account", ...ofProvider("authentication") }),
    ],
    [
      "The provider refuses the stored credentials: syncing has stopped until the account is connected again",
      failed("AUTHENTICATION_FAILURE", { action: "require_reconnect", ...ofProvider("authentication") }),
    ],
    [
      "The provider refused the credentials of the connection",
      failed("AUTHENTICATION_FAILURE", { action: "list_invoices", ...ofProvider("authentication") }),
    ],
    [
      "A call with an invalid or expired token was refused",
      failed("AUTHENTICATION_FAILURE", { source: "user", errorCode: "40103" }),
    ],
    [
      "A webhook without a valid signature was refused",
      failed("AUTHENTICATION_FAILURE", { source: "webhook", errorCode: "40009" }),
    ],
    [
      "A call without the needed permission was refused",
      failed("PERMISSION_DENIED", { source: "user", errorCode: "40301" }),
    ],
    [
      "A call from an address that is not allowed was refused",
      failed("PERMISSION_DENIED", { source: "user", errorCode: "40302" }),
    ],
    [
      "The provider denied the connection a permission",
      failed("PERMISSION_DENIED", { source: "user", ...ofProvider("authorization") }),
    ],
    [
      "The provider kept failing: the circuit breaker opened and refuses calls",
      failed("CIRCUIT_BREAKER_CHANGED", { action: "open" }),
    ],
    [
      "An operator stopped all calls to the provider",
      { ...failed("CIRCUIT_BREAKER_CHANGED", { source: "user", action: "force_open" }), success: true },
    ],
    ["The provider could not be reached", failed("PROVIDER_REQUEST", ofProvider("network"))],
    ["OF_A_LATER_VERSION", failed("OF_A_LATER_VERSION")],
  ])("says %j", (title, event) => {
    expect(titleOfEvent(event)).toBe(title);
  });
});

describe("the subject of an event's alert", () => {
  const refused = { eventType: "AUTHENTICATION_FAILURE", category: "authentication", riskLevel: "HIGH" } as const;

  it("of forged webhooks is the same for each address", () => {
    const subjects = ["192.0.2.7", "198.51.100.9", undefined].map((address) =>
      subjectOfEvent({ ...refused, source: "webhook", ...(address !== undefined && { ipAddress: address }) }),
    );
    expect(new Set(subjects)).toEqual(new Set(["webhooks"]));
  });

  it("of a refused token, and of a webhook's call that the provider refused, is not", () => {
    expect(subjectOfEvent({ ...refused, source: "user", ipAddress: "192.0.2.7" })).toBe(
      "AUTHENTICATION_FAILURE address:192.0.2.7",
    );
    expect(subjectOfEvent({ ...refused, source: "webhook", resource: "acct_1", ...ofProvider("authentication") })).toBe(
      "AUTHENTICATION_FAILURE acct_1",
    );
  });

  it("and the rule of a destination that gets fewer alerts are its own, unlike those of other changes of destinations", () => {
    const changed = {
      eventType: "NOTIFICATIONS_CHANGED",
      category: "compliance",
      source: "user",
      userId: "ada",
    } as const;
    const silenced = { ...changed, resource: "01D", riskLevel: "HIGH" } as const;
    expect([ruleOfEvent(silenced), subjectOfEvent(silenced)]).toEqual(["notifications_silenced", "01D"]);
    const renamed = { ...silenced, riskLevel: "MEDIUM" } as const;
    expect([ruleOfEvent(renamed), subjectOfEvent(renamed)]).toEqual([
      "event_threshold",
      "NOTIFICATIONS_CHANGED user:ada",
    ]);
    const metadata = { destinationName: "SOC", silenced: "deleted" };
    expect(titleOfEvent({ ...silenced, success: true, metadata })).toBe(
      'The destination of notifications "SOC" was deleted',
    );
  });
});
