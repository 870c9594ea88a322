/** The rules behind the view Notifications. */
import { describe, expect, it } from "@jest/globals";
import {
  attemptInWords,
  stateOf as deliveryState,
  isUnderWay,
  lastDeliveryOf,
} from "../../../functions/console/app/views/notifications/delivery-words.ts";
import { selectionInWords, stateOf } from "../../../functions/console/app/views/notifications/destination-words.ts";
import {
  changeRequestOf,
  draftOf,
  emptyDraft,
  problemsOf,
  requestOf,
  unchanged,
} from "../../../functions/console/app/views/notifications/draft.ts";
import { handOver, takeSecret } from "../../../functions/console/app/views/notifications/new-secret.ts";
import { attentionOf } from "../../../functions/console/app/views/overview/attention.ts";
import { DestinationChangeRequest, DestinationRequest } from "../../../shared/notifications/destination.ts";
import { requestFailures } from "../../../shared/notifications/sending/request-failure.ts";
import { deliveriesInAllStates, destinationsInAllStates } from "../../support/notification-answers.ts";

const NOW = 1_795_219_200_000;
const destinations = destinationsInAllStates(NOW);
const destinationOf = (id: string) => {
  const found = destinations.find((destination) => destination.id === id);
  if (found === undefined) throw new Error(`There is no destination ${id}.`);
  return found;
};

describe("what was last delivered to a destination", () => {
  it("is by the newer answer: of the destination, or of its deliveries", () => {
    const deliveries = [
      { status: "failed", endedAt: NOW },
      { status: "delivered", endedAt: NOW - 1_000 },
    ] as const;
    expect(lastDeliveryOf({}, deliveries)).toBe(NOW - 1_000);
    expect(lastDeliveryOf({ lastDeliveredAt: NOW - 9_000 }, deliveries)).toBe(NOW - 1_000);
    expect(lastDeliveryOf({ lastDeliveredAt: NOW - 500 }, deliveries)).toBe(NOW - 500);
    expect(lastDeliveryOf({}, [])).toBeUndefined();
  });
});

describe("the state of a destination", () => {
  it.each([
    ["active", "good", "Active", undefined],
    ["unconfirmed", "accent", "Unconfirmed", /link in the message that was sent to security@example\.com.*48 hours/],
    ["failing", "warn", "Failing", /failed for 3 hr.*pauses the destination after 5 days/],
    ["paused-failing", "bad", "Paused", /failed for 5 days.*resume it and send a test/],
    ["bounced", "bad", "Paused", /mail server of left@example\.com refuses the address.*another confirmation/],
    ["gone", "bad", "Paused", /410 Gone.*new address/],
    ["unsubscribed", "warn", "Paused", /reader of former@example\.com unsubscribed/],
    ["by-user", "quiet", "Paused", /user paused it/],
  ])("of %s is %s, %s, with what to do", (id, tone, name, text) => {
    const state = stateOf(destinationOf(id), NOW);
    expect([state.tone, state.name]).toEqual([tone, name]);
    if (text === undefined) expect(state.text).toBeUndefined();
    else expect(state.text).toMatch(text);
  });

  it("needs attention in the overview if the service paused it, or if it fails for more than an hour", () => {
    const needs = attentionOf({ destinations }, NOW);
    expect(needs.map(({ tone, what }) => [tone, what])).toEqual([
      ["bad", "4 destinations of notifications are paused"],
      ["warn", "a destination of notifications is failing"],
    ]);
    expect(needs[0]?.text).toBe(
      "Alerts do not reach #alerts in Slack, bounced, gone, unsubscribed: the service paused them.",
    );
    expect(attentionOf({ destinations: [destinationOf("by-user"), destinationOf("active")] }, NOW)).toEqual([]);
    expect(attentionOf({ destinations: null }, NOW)).toEqual([]);
  });
});

it("says what a destination gets, the highest level first", () => {
  expect(selectionInWords(destinationOf("active"))).toBe(
    "Alerts of level critical and high, of one rule, when raised and escalated",
  );
  expect(selectionInWords(destinationOf("gone"))).toBe("Alerts of all levels");
});

describe("the form of a destination", () => {
  it("becomes a request that the API accepts, without filters for a choice of everything", () => {
    const draft = { ...emptyDraft("Europe/Berlin"), name: " On-call " };
    expect(problemsOf(draft)).toEqual({});
    const webhook = requestOf("webhook", draft, " https://example.com/hook ");
    expect(webhook).toEqual({ type: "webhook", url: "https://example.com/hook", name: "On-call", filter: {} });
    expect(DestinationRequest.safeParse(webhook).success).toBe(true);
    const email = requestOf(
      "email",
      { ...draft, levels: ["HIGH"], isQuiet: true, every: "day", reports: ["weekly"] },
      "a@example.com",
    );
    expect(DestinationRequest.parse(email)).toEqual({
      type: "email",
      address: "a@example.com",
      name: "On-call",
      filter: { levels: ["HIGH"] },
      quietHours: { from: "22:00", to: "07:00", timeZone: "Europe/Berlin", exceptCritical: true },
      digest: { every: "day", at: "08:00", timeZone: "Europe/Berlin" },
      reports: ["weekly"],
    });
  });

  it.each(destinations.map((destination) => [destination.name, destination] as const))(
    "keeps all that it does not change: %s",
    (_, destination) => {
      const same = DestinationChangeRequest.parse(unchanged(destination));
      expect(
        DestinationChangeRequest.parse(changeRequestOf(destination.type, draftOf(destination, "UTC"), "")),
      ).toEqual(same);
    },
  );

  it("keeps an escalation, which it does not show", () => {
    const [other = destinations[0]] = destinations.slice(1);
    const escalate = { levels: ["CRITICAL" as const], afterMinutes: 15, to: other?.id ?? "" };
    const destination = { ...destinationOf(destinations[0]?.id ?? ""), escalate };
    expect(unchanged(destination)).toMatchObject({ escalate });
    expect(changeRequestOf(destination.type, draftOf(destination, "UTC"), "")).toMatchObject({ escalate });
  });

  it("names what is missing", () => {
    const draft = emptyDraft("UTC");
    const quiet = { ...draft.quiet, to: draft.quiet.from };
    const wrong = { ...draft, levels: [], changes: [], rules: [], isQuiet: true, quiet, every: "day" as const, at: "" };
    expect(Object.keys(problemsOf(wrong))).toEqual(["name", "levels", "changes", "rules", "quiet", "at"]);
  });

  it("takes an address that gets reports only", () => {
    const draft = { ...emptyDraft("UTC"), name: "Audit", changes: [], reports: ["daily" as const] };
    expect(problemsOf(draft)).toEqual({});
    const request = DestinationRequest.parse(requestOf("email", draft, "audit@example.com"));
    expect(request).toMatchObject({ filter: { changes: [] }, reports: ["daily"] });
    expect(selectionInWords({ filter: { changes: [] } })).toBe("No alerts");
  });
});

it("hands a new secret over once, and to its own destination only", () => {
  handOver("one", "whsec_1");
  expect(takeSecret("other")).toBeUndefined();
  expect(takeSecret("one")).toBeUndefined();
  handOver("one", "whsec_1");
  expect([takeSecret("one"), takeSecret("one")]).toEqual(["whsec_1", undefined]);
});

it("says what became of a delivery and of each try", () => {
  const deliveries = deliveriesInAllStates(NOW);
  expect(deliveries.map((delivery) => deliveryState(delivery).name)).toEqual([
    "Waiting",
    "Waiting",
    "Trying again",
    "Delivered",
    "Failed",
    "Failed",
  ]);
  expect(deliveries.map((delivery) => isUnderWay(delivery, NOW))).toEqual([true, ...Array(5).fill(false)]);
  expect(deliveries[2]?.attempts.map(attemptInWords)).toEqual([
    "There was no complete answer within 10 seconds. (10 sec)",
    "Answer 503 after 84 ms.",
    "Answer 429 after 84 ms.",
  ]);
  expect(attemptInWords({ at: NOW, latencyMs: 5, error: "an unknown cause" })).toBe("an unknown cause (5 ms)");
});

it("has a sentence for each reason why a request had no answer", () => {
  const sentences = requestFailures.map((error) => attemptInWords({ at: NOW, latencyMs: 5, error }));
  expect(sentences.filter((sentence) => !/^[A-Z].*\. \(5 ms\)$/.test(sentence))).toEqual([]);
});
