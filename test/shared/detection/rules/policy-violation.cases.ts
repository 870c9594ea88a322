import { acme, type Cases, globex, minute } from "./case.ts";

const mallory = { user: "mallory", address: "203.0.113.9" };
const blocked = (minutes: readonly number[], who = mallory, events = acme) =>
  minutes.map((at) => events.blocked(minute(at), who));
const found = (hour: number, count: number, address = mallory.address) => ({
  hour,
  subject: `address:${address}`,
  level: "HIGH",
  count,
});
const one = blocked([1]);

export const policyViolationCases: Cases = {
  rule: "policy_violation",
  cases: [
    { title: "a missing permission", events: [acme.denial(minute(1), mallory, "sync:run")], finds: [] },
    { title: "a blocked address", events: one, finds: [found(0, 1)] },
    { title: "a blocked address three times", events: blocked([1, 2, 3]), finds: [found(0, 3)] },
    { title: "at both edges of the hour", events: blocked([0, 59.999, 60]), finds: [found(0, 2), found(1, 1)] },
    { title: "repeated", events: [...one, ...one], finds: [found(0, 1)] },
    { title: "out of order", events: blocked([3, 1, 2]), finds: [found(0, 3)] },
    {
      title: "in another organization",
      events: blocked([1], mallory, globex),
      finds: [{ ...found(0, 1), organization: "globex" }],
    },
    {
      title: "two addresses",
      events: [...one, ...blocked([1], { ...mallory, address: "203.0.113.10" })],
      finds: [found(0, 1, "203.0.113.10"), found(0, 1)],
    },
    { title: "again while the alert is open", events: blocked([1, 61]), finds: [found(0, 1), found(1, 1)] },
    {
      title: "an id of another organization",
      events: [acme.foreignId(minute(1), mallory)],
      finds: [{ ...found(0, 1), subject: "user:mallory" }],
    },
    {
      title: "an id of another organization, judged at once",
      events: [acme.foreignId(minute(1), mallory, { judgedAtOnce: true })],
      finds: [],
    },
    { title: "judged at once", events: [acme.blocked(minute(1), mallory, { judgedAtOnce: true })], finds: [] },
  ],
};
