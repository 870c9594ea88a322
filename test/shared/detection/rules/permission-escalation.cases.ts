import { acme, type Cases, globex, minute, times } from "./case.ts";

const eve = { user: "eve", address: "192.0.2.1" };
const permissions = ["security:read", "sync:run", "connection:manage", "erasure:request"];
/** Denied one permission after another, at these minutes. */
const denied = (minutes: readonly number[], who = eve, events = acme) =>
  minutes.map((at, index) => events.denial(minute(at), who, permissions[index] ?? ""));
const ofEve = (hour: number, count: number) => ({ hour, subject: "user:eve", level: "HIGH", count });
const three = denied([1, 2, 3]);
const change = (at: number, action = "put_settings") => ({
  ...acme.denial(minute(at), eve, "settings:manage"),
  action,
});
const foreign = (at: number, metadata = {}) => acme.foreignId(minute(at), eve, metadata);

export const permissionEscalationCases: Cases = {
  rule: "permission_escalation",
  cases: [
    { title: "two permissions", events: denied([1, 2]), finds: [] },
    { title: "three permissions", events: three, finds: [ofEve(0, 3)] },
    { title: "four permissions", events: denied([1, 2, 3, 4]), finds: [ofEve(0, 4)] },
    { title: "the first of three exactly 60 minutes old", events: denied([0, 30, 60]), finds: [] },
    { title: "the first of three a little younger", events: denied([0.1, 30, 60]), finds: [ofEve(1, 3)] },
    { title: "repeated", events: [...three, ...three], finds: [ofEve(0, 3)] },
    { title: "two, repeated", events: [...denied([1, 2]), ...denied([1, 2])], finds: [] },
    { title: "out of order", events: three.toReversed(), finds: [ofEve(0, 3)] },
    {
      title: "two here and one in another organization",
      events: [
        ...denied([1, 2]),
        globex.denial(minute(3), eve, "sync:run"),
        globex.denial(minute(4), eve, "connection:manage"),
      ],
      finds: [],
    },
    {
      title: "of two users",
      events: [...denied([1, 2]), acme.denial(minute(3), { user: "bob" }, "connection:manage")],
      finds: [],
    },
    {
      title: "a loop that retries one call",
      events: times(500).map((index) => acme.denial(minute(index / 10), eve, "sync:run")),
      finds: [],
    },
    {
      title: "a loop, and two others: the latest of each is the evidence",
      events: [...times(50).map((index) => acme.denial(minute(index / 10), eve, "status:read")), ...denied([6, 7])],
      finds: [ofEve(0, 3)],
    },
    {
      title: "three types of records",
      events: ["records:read", "records:read:invoices", "records:read:payments"].map((one, index) =>
        acme.denial(minute(index), eve, one),
      ),
      finds: [],
    },
    {
      title: "two, and one that was judged at once",
      events: [...denied([1, 2]), acme.denial(minute(3), eve, "breaker:control", { judgedAtOnce: true })],
      finds: [],
    },
    {
      title: "two, and an address that is not allowed",
      events: [...denied([1, 2]), acme.blocked(minute(3), eve)],
      finds: [],
    },
    {
      title: "two, and the provider's own denial",
      events: [
        ...denied([1, 2]),
        acme.operation(
          minute(3),
          {},
          { eventType: "PERMISSION_DENIED", source: "user", userId: "eve", success: false },
        ),
      ],
      finds: [],
    },
    { title: "a denied change without a finding at once", events: [change(1)], finds: [ofEve(0, 1)] },
    {
      title: "two, and a denied change, which is not counted with them",
      events: [...denied([1, 2]), change(3)],
      finds: [ofEve(0, 1)],
    },
    { title: "a denied read of the settings", events: [change(1, "get_settings")], finds: [] },
    { title: "an id of another organization", events: [foreign(1)], finds: [{ ...ofEve(0, 1), level: "CRITICAL" }] },
    { title: "an id of another organization, judged at once", events: [foreign(1, { judgedAtOnce: true })], finds: [] },
    { title: "across the hour", events: denied([40, 55, 65]), finds: [ofEve(1, 3)] },
    {
      title: "again while the alert is open",
      events: [...three, ...denied([121, 122, 123])],
      finds: [ofEve(0, 3), ofEve(2, 3)],
    },
  ],
};
