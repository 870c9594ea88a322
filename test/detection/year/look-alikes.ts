import { HOUR, MINUTE } from "../events.ts";
import { addressOf, recordedFailures, type Script, strangerOf } from "./episode.ts";

const nothing = { labels: [] };

const mistyping: Script = (stage) => {
  const { at, events, dice, user } = stage;
  const address = addressOf(user);
  const failures = dice.times(4, 10 * MINUTE).map((time) => ({ at: at + time, user, address }));
  const success = events.call(at + 12 * MINUTE, { user, address: strangerOf(dice) });
  return { ...nothing, events: [...recordedFailures(stage, failures), success] };
};

/** Their tokens expired at the same time. */
const colleaguesBehindOneAddress: Script = (stage) => ({
  ...nothing,
  events: recordedFailures(
    stage,
    [0, 2, 7, 11].map((minute, index) => ({
      at: stage.at + minute * MINUTE,
      user: `user-${index}`,
      address: "192.0.2.250",
    })),
  ),
});

const forgottenTab: Script = (stage) => {
  const { at, user } = stage;
  const failures = [0, 4, 8, 12, 16, 20, 24].map((minute) => ({
    at: at + minute * MINUTE,
    user,
    address: addressOf(user),
  }));
  return { ...nothing, events: recordedFailures(stage, failures) };
};

const deploymentLoop: Script = ({ at, events, dice }) => ({
  ...nothing,
  events: dice.times(25, 20 * MINUTE).map((time) => events.denial(at + time, { user: "deployer" }, "sync:run")),
});

const newMember: Script = ({ at, events, user }) => ({
  ...nothing,
  events: ["security:read", "connection:manage", "security:read"].map((one, index) =>
    events.denial(at + index * MINUTE, { user, address: addressOf(user) }, one),
  ),
});

const outage: Script = ({ at, events, dice }) => {
  const to = at + dice.integer(3, 8) * HOUR;
  return {
    ...nothing,
    events: [
      events.circuit(at + 5 * MINUTE, "open"),
      events.circuit(to - 10 * MINUTE, "half_open"),
      events.circuit(to, "closed"),
    ],
    runs: { mode: "failing", from: at, to },
  };
};

const paused: Script = ({ at, events, dice, user }) => {
  const to = at + dice.integer(6, 20) * HOUR;
  return {
    ...nothing,
    events: [events.disconnected(at, { user }), events.connected(to, { user })],
    runs: { mode: "none", from: at, to },
  };
};

const heldOpen: Script = ({ at, events, dice }) => {
  const to = at + dice.integer(6, 20) * HOUR;
  return {
    ...nothing,
    events: [events.circuit(at, "forced_open"), events.circuit(to, "closed")],
    runs: { mode: "none", from: at, to },
  };
};

const fewRefusals: Script = ({ at, events }) => ({
  ...nothing,
  events: [10, 14, 27].map((minute) => events.operation(at + minute * MINUTE, { attempts: 2, rateLimited: 1 })),
});

const forgedWebhooks: Script = ({ at, events, dice }) => ({
  ...nothing,
  events: dice.times(40, 50 * MINUTE).map((time) => events.forgedWebhook(at + time, strangerOf(dice), 90)),
});

const wrongKey: Script = ({ at, events, user }) => ({
  ...nothing,
  events: [1, 2, 3, 4, 5].map((minute) =>
    events.connectRefused(at + minute * MINUTE, { user, address: addressOf(user) }),
  ),
});

const impatience: Script = ({ at, events, dice, user }) => ({
  ...nothing,
  events: dice
    .times(8, 50 * MINUTE)
    .flatMap((time, index) => [
      events.runStarted(at + time, `by-hand-${at}-${index}`, "manual", { user }),
      events.runSucceeded(at + time + 900, `by-hand-${at}-${index}`, "manual"),
    ]),
});

/** Slower than usual, but below the threshold. */
const sluggishProvider: Script = ({ at, events, dice }) => ({
  ...nothing,
  events: dice
    .times(15, 50 * MINUTE)
    .map((time) => events.operation(at + time, { durationMs: dice.integer(350, 480) })),
});

const oneFailedRun: Script = ({ at }) => ({
  ...nothing,
  events: [],
  runs: { mode: "failing", from: at, to: at + HOUR },
});

const storeHiccups: Script = ({ at, events }) => ({
  ...nothing,
  events: [5, 8, 10].map((minute) => events.storeFailure(at + minute * MINUTE)),
});

const fullSync: Script = ({ at, events, dice }) => ({
  ...nothing,
  events: dice
    .times(200, 30 * MINUTE)
    .map((time) => events.operation(at + time, { pacedMs: dice.integer(100, 2_500) })),
});

/** A user makes more calls than usual. */
const busyHour: Script = ({ at, events, dice, profile, user }) => ({
  ...nothing,
  events: dice
    .times(Math.max(24, Math.round(profile.most / 4)), 55 * MINUTE)
    .map((time) => events.call(at + time, { user, address: addressOf(user) })),
});

/** All episodes that look like an attack, and are none. */
export const lookAlikes: Record<string, Script> = {
  mistyping,
  colleaguesBehindOneAddress,
  forgottenTab,
  deploymentLoop,
  newMember,
  outage,
  paused,
  heldOpen,
  fewRefusals,
  forgedWebhooks,
  wrongKey,
  impatience,
  sluggishProvider,
  oneFailedRun,
  storeHiccups,
  fullSync,
  busyHour,
};
