import { acme, type Cases, globex, minute } from "./case.ts";

const succeeded = (at: number, events = acme) => [
  events.runStarted(minute(at - 1), `r${at}`),
  events.runSucceeded(minute(at), `r${at}`),
];
const failed = (at: number) => [acme.runStarted(minute(at - 1), `r${at}`), acme.runFailed(minute(at), `r${at}`)];
const silent = (hour: number, count = 2) => ({ hour, subject: "connection", level: "HIGH", count });
const connected = acme.connected(minute(1));

/** Sync intervals are one hour. An hour is judged as of its end. */
export const syncSilenceCases: Cases = {
  rule: "sync_silence",
  cases: [
    { title: "a success within two intervals", events: [connected, ...succeeded(30)], hours: 2, finds: [] },
    { title: "no success for two intervals", events: [connected, ...succeeded(30)], hours: 3, finds: [silent(2)] },
    {
      title: "the last success exactly two intervals old",
      events: [connected, ...succeeded(60)],
      hours: 3,
      finds: [silent(2)],
    },
    { title: "the last success a little younger", events: [connected, ...succeeded(60.1)], hours: 3, finds: [] },
    {
      title: "silence over several hours",
      events: [connected, ...succeeded(30)],
      hours: 5,
      finds: [silent(2), silent(3, 3), silent(4, 4)],
    },
    {
      title: "silence until a run succeeds",
      events: [connected, ...succeeded(30), ...succeeded(190)],
      hours: 5,
      finds: [silent(2)],
    },
    {
      title: "failed runs only",
      events: [connected, ...succeeded(30), ...failed(90), ...failed(150)],
      hours: 3,
      finds: [silent(2)],
    },
    {
      title: "repeated and out of order",
      events: [...succeeded(30).toReversed(), connected, ...succeeded(30)],
      hours: 3,
      finds: [silent(2)],
    },
    {
      title: "the success of another organization",
      events: [connected, ...succeeded(170, globex)],
      hours: 3,
      finds: [silent(2)],
    },
    { title: "no run since connecting", events: [acme.connected(minute(59))], hours: 3, finds: [silent(2)] },
    {
      title: "connected again concurrently",
      events: [connected, ...succeeded(30), acme.connected(minute(90))],
      hours: 3,
      finds: [],
    },
    {
      title: "disconnected",
      events: [connected, ...succeeded(30), acme.disconnected(minute(90))],
      hours: 9,
      finds: [],
    },
    {
      title: "waiting to be reconnected",
      events: [connected, ...succeeded(30), acme.reconnectNeeded(minute(90))],
      hours: 9,
      finds: [],
    },
    {
      title: "the circuit is open",
      events: [connected, ...succeeded(30), acme.circuit(minute(90), "open")],
      hours: 9,
      finds: [],
    },
    {
      title: "the circuit is half open",
      events: [connected, ...succeeded(30), acme.circuit(minute(90), "half_open")],
      hours: 9,
      finds: [],
    },
    {
      title: "the circuit is forced open",
      events: [connected, ...succeeded(30), acme.circuit(minute(90), "forced_open")],
      hours: 9,
      finds: [],
    },
    {
      title: "two intervals after the circuit closed",
      events: [connected, ...succeeded(30), acme.circuit(minute(90), "open"), acme.circuit(minute(150), "closed")],
      hours: 5,
      finds: [silent(4)],
    },
    { title: "never connected", events: [acme.call(minute(1), { user: "ada" })], hours: 9, finds: [] },
  ],
};
