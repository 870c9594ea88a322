import { acme, atMinutes, type Cases, globex, minute } from "./case.ts";

const failures = (minutes: readonly number[], events = acme) => atMinutes(minutes, (at) => events.storeFailure(at));
const found = (hour: number, count: number) => ({ hour, subject: "system", level: "HIGH", count });
const three = failures([1, 2, 3]);

export const systemErrorsCases: Cases = {
  rule: "system_errors",
  cases: [
    { title: "two failures", events: failures([1, 2]), finds: [] },
    { title: "three failures", events: three, finds: [found(0, 3)] },
    { title: "five failures", events: failures([1, 2, 3, 4, 5]), finds: [found(0, 5)] },
    { title: "the first of three exactly 5 minutes old", events: failures([0, 3, 5]), finds: [] },
    { title: "the first of three a little younger", events: failures([0.1, 3, 5]), finds: [found(0, 3)] },
    { title: "repeated", events: [...three, ...three], finds: [found(0, 3)] },
    { title: "two, repeated", events: [...three.slice(1), ...three.slice(1)], finds: [] },
    { title: "out of order", events: three.toReversed(), finds: [found(0, 3)] },
    {
      title: "two here and two in another organization",
      events: [...failures([1, 2]), ...failures([1, 2], globex)],
      finds: [],
    },
    { title: "across the hour", events: failures([58, 59, 61]), finds: [found(1, 3)] },
    {
      title: "again while the alert is open",
      events: [...three, ...failures([71, 72, 73])],
      finds: [found(0, 3), found(1, 3)],
    },
    {
      title: "judged at once",
      events: atMinutes([1, 2, 3], (at) => acme.storeFailure(at, { judgedAtOnce: true })),
      finds: [],
    },
    {
      title: "failures of the provider",
      events: atMinutes([1, 2, 3], (at) => acme.operation(at, {}, { success: false, errorCode: "http_500" })),
      finds: [],
    },
    {
      title: "a run that failed because of the store, and the store's failure",
      events: [...failures([1, 2]), acme.runFailed(minute(3), "r", "manual", "internal")],
      finds: [found(0, 3)],
    },
  ],
};
