/** The explored scenarios. Tests run `small`, the command `npm run explore` runs `full`. */
import type { CircuitWrite } from "../../../shared/circuit-breaker/decide.ts";
import { type Scenario, time } from "./world.ts";

const failure = (seconds: number, id: string, generation = 0): CircuitWrite => ({
  kind: "record_failure",
  generation,
  at: time(seconds),
  id,
});
const failuresAt = (...seconds: number[]): CircuitWrite[] => seconds.map((at, index) => failure(at, `f${index}`));

const opened: CircuitWrite[] = [
  ...failuresAt(-40, -40, -40, -40),
  { kind: "trip", generation: 0, at: time(-30), id: "f4" },
];
const probing = (...ids: string[]): CircuitWrite[] =>
  ids.map((id, index) => ({
    kind: index === 0 ? "take_first_permit" : "take_permit",
    generation: index === 0 ? 1 : 2,
    at: time(0),
    id,
  }));

const at = (...seconds: number[]): number[] => seconds.map(time);
const baseline = { total: 0, failed: 0, rejected: 0 };

const five: Scenario = {
  name: "the fifth failure",
  about: "three failures are stored, and several calls fail at once",
  before: failuresAt(0, 0, 1),
  times: at(1, 60, 61),
  callers: [{}, {}, {}],
  outcomes: ["failure", "success"],
  losses: 1,
};

const sliding: Scenario = {
  name: "the sliding window",
  about: "two callers fail every 15 s or more, and one of them has an old copy",
  times: at(0, 15, 30, 45, 60, 75),
  callers: [{ calls: 4 }, { calls: 3 }],
  outcomes: ["failure"],
  copies: true,
};

const probes: Scenario = {
  name: "the half-open round",
  about: "the open time ends, and more calls arrive than there are permits",
  before: opened,
  times: at(-1, 0, 12),
  callers: [{}, {}, {}, {}],
  outcomes: ["success", "failure"],
};

const deadProbes: Scenario = {
  name: "dead probes",
  about: "all permits of a round are taken, and their holders may crash",
  before: [...opened, ...probing("p1", "p2")],
  times: at(0, 11.999, 12, 41.999, 42, 54, 84),
  callers: [{ calls: 2 }, { calls: 2 }],
  outcomes: ["success", "failure", "neutral"],
  crashes: 2,
};

const late: Scenario = {
  name: "late results",
  about: "calls of a closed circuit end after it opened, and after it closed again",
  before: failuresAt(0, 0, 0),
  times: at(1, 31),
  callers: [{}, { calls: 3 }, { calls: 2 }],
  outcomes: ["failure", "success"],
  copies: true,
};

const repeats: Scenario = {
  name: "lost answers",
  about: "requests and answers are lost, repeated and late",
  before: [...opened, ...probing("p1")],
  times: at(1, 2),
  callers: [{ calls: 2 }, { calls: 2 }],
  outcomes: ["success", "failure", "neutral"],
  losses: 2,
  delays: true,
};

const lateFailures: Scenario = {
  ...five,
  name: "lost failures",
  about: "failures are lost, repeated and late",
  before: failuresAt(0, 0),
  times: at(1, 60),
  losses: 2,
  delays: true,
  outcomes: ["failure"],
};

const skewed: Scenario = {
  name: "clocks apart: failures",
  about: "failing callers whose clocks are 80 s apart",
  before: failuresAt(0, 0, 0),
  times: at(1, 21),
  callers: [{ skew: 40_000 }, { skew: -40_000 }, { skew: 0, calls: 2 }],
  outcomes: ["failure"],
  losses: 1,
  copies: true,
};

const skewedProbes: Scenario = {
  name: "clocks apart: probes",
  about: "probing callers whose clocks are 80 s apart",
  before: opened,
  times: at(-1, 0, 12, 42),
  callers: [{ skew: 40_000 }, { skew: -40_000, calls: 2 }, { skew: 0 }],
  outcomes: ["success", "failure"],
};

const operators: Scenario = {
  name: "operators",
  about: "operators act while calls fail, and lose their own answers",
  before: failuresAt(0, 0, 0),
  times: at(1, 31),
  callers: [{ calls: 2 }, { calls: 2 }],
  outcomes: ["failure", "success"],
  commands: [{ action: "force_open" }, { action: "reset" }],
  losses: 1,
};

const operatorsAndProbes: Scenario = {
  name: "operators and probes",
  about: "operators act during a half-open round",
  before: [...opened, ...probing("p1")],
  times: at(1, 13),
  callers: [{}, { calls: 2 }],
  outcomes: ["success", "failure", "neutral"],
  commands: [{ action: "force_close" }, { action: "force_open" }],
};

const holds: Scenario = {
  name: "holds that end",
  about: "an operator's hold expires, for some callers earlier than for others",
  before: [...opened, { action: "force_open", at: time(-20), id: "o", by: "alice", until: time(10), baseline }],
  times: at(9.999, 10, 50),
  callers: [{ skew: 40_000 }, { skew: 0, calls: 2 }, { skew: -40_000 }],
  outcomes: ["failure", "success"],
  commands: [{ action: "force_close", until: time(50) }],
};

const telling: Scenario = {
  name: "announcements",
  about: "transitions follow each other, and their callers may crash before they announce them",
  before: [...opened],
  times: at(0, 1, 31),
  callers: [{ calls: 2 }, { calls: 2 }],
  outcomes: ["success", "failure"],
  commands: [{ action: "force_close" }, { action: "reset" }],
  crashes: 1,
  announces: true,
};

const connecting: Scenario = {
  name: "connections",
  about: "the organization is connected and disconnected while its circuit opens, is held, and closes",
  before: failuresAt(0, 0, 0),
  times: at(1, 31),
  callers: [{ calls: 2 }, { calls: 2 }],
  outcomes: ["failure", "success"],
  commands: [{ action: "force_open" }, { action: "reset" }],
  connections: [true, false, true],
};

const connectingFirst: Scenario = {
  name: "a connection before anything else",
  about: "the organization is connected before its circuit has an item, and its first calls fail",
  times: at(0, 30),
  callers: [{ calls: 4 }, { calls: 2 }],
  outcomes: ["failure"],
  connections: [true, false],
  losses: 1,
};

const closed: CircuitWrite[] = [
  ...opened,
  ...probing("p1", "p2"),
  { kind: "count_success", generation: 2, at: time(1), id: "p1" },
  { kind: "close", generation: 2, at: time(1), id: "p2" },
];

const afterClosing: Scenario = {
  name: "after closing",
  about: "calls fail soon after the circuit closed, while the old failures are younger than 60 s",
  before: closed,
  times: at(2),
  callers: [{ calls: 3 }, { calls: 2 }],
  outcomes: ["failure"],
};

const commandBefore = { id: "o", by: "alice", baseline };

/** The conditions alone must protect the item from any writer: older code, a late copy, a bug. */
const nowhere: readonly Scenario[] = [
  { name: "closed", before: failuresAt(0, 0, 0, 0), times: at(59.999, 60) },
  {
    name: "closed by an operator",
    before: [
      { ...commandBefore, action: "reset" as const, at: time(0) },
      ...[0, 1, 2, 3].map((index) => failure(index, `f${index}`, 1)),
    ],
    times: at(4),
  },
  { name: "closed with a gap", before: failuresAt(0, 0, 30), times: at(30, 60) },
  { name: "open", before: opened, times: at(-0.001, 0) },
  { name: "half-open", before: [...opened, ...probing("p1", "p2", "p3")], times: at(11.999, 12, 41.999, 42) },
  {
    name: "half-open with a success",
    before: [
      ...opened,
      ...probing("p1", "p2"),
      { kind: "count_success" as const, generation: 2, at: time(1), id: "p1" },
    ],
    times: at(1, 12),
  },
  { name: "closed again", before: closed, times: at(2) },
  {
    name: "held",
    before: [{ ...commandBefore, action: "force_open" as const, at: time(0), until: time(10) }],
    times: at(9.999, 10),
  },
  {
    name: "held closed",
    before: [...failuresAt(0), { ...commandBefore, action: "force_close" as const, at: time(0) }],
    times: at(5),
  },
].map((one) => ({
  ...one,
  name: `out of nowhere: ${one.name}`,
  about: "writes arrive without a decision of a caller",
  callers: [],
  outcomes: [],
  wild: 3,
}));

export const full: readonly Scenario[] = [
  five,
  sliding,
  probes,
  deadProbes,
  late,
  repeats,
  lateFailures,
  skewed,
  skewedProbes,
  operators,
  operatorsAndProbes,
  holds,
  telling,
  connecting,
  connectingFirst,
  afterClosing,
  ...nowhere,
];

/** The same with fewer callers, calls or times. */
export const small: readonly Scenario[] = [
  ...nowhere.map((scenario) => ({ ...scenario, wild: 2 })),
  afterClosing,
  { ...holds, callers: [{ skew: 40_000 }, { skew: 0, calls: 2 }] },
  { ...five, times: at(1, 60) },
  { ...sliding, before: failuresAt(0, 15), times: at(30, 60, 75), callers: [{ calls: 3 }, { calls: 2 }] },
  { ...probes, before: [...opened, ...probing("p1")], times: at(0, 12), callers: [{}, {}, {}] },
  { ...deadProbes, times: at(0, 12, 41.999, 42), callers: [{}, { calls: 2 }] },
  { ...late, callers: [{}, { calls: 2 }, {}] },
  { ...repeats, times: at(1), callers: [{}, { calls: 2 }] },
  { ...lateFailures, callers: [{}, {}], before: failuresAt(0, 0, 0) },
  { ...skewed, callers: [{ skew: 40_000 }, { skew: -40_000 }, { skew: 0 }] },
  { ...skewedProbes, callers: [{ skew: 40_000 }, { skew: -40_000 }, { skew: 0 }], times: at(0, 42) },
  { ...operators, callers: [{ calls: 2 }, {}] },
  operatorsAndProbes,
  { ...telling, callers: [{}, {}], times: at(31) },
  { ...connecting, callers: [{ calls: 2 }, {}], connections: [true, false] },
  { ...connectingFirst, callers: [{ calls: 3 }, { calls: 2 }], losses: 0 },
];
