import { expect, it, jest } from "@jest/globals";
import { createOutageCheck } from "../../../shared/circuit-breaker/record-transition.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

/** Whether the check begins an outage. @param circuits `held` of the open ones are held by operators. */
const isOutage = async (connected: number, circuits: { open: number; held?: number; unconnected?: number }) => {
  const begin = jest.fn(async () => undefined);
  const outages = {
    read: async () => undefined,
    begin,
    markRecorded: async () => undefined,
    end: async () => undefined,
  };
  await createOutageCheck({
    circuits: { countOpen: async () => ({ halfOpen: 0, held: 0, unconnected: 0, ...circuits }) },
    outages,
    connectedOrganizations: async () => connected,
    recorder: { record: async () => undefined },
    clock: () => 0,
  })();
  return begin.mock.calls.length > 0;
};

it.each([
  ["half of ten circuits opened by themselves", 10, { open: 5 }, true],
  ["fewer than half opened", 11, { open: 5 }, false],
  ["only four organizations are connected", 4, { open: 4 }, false],
  ["five organizations are connected", 5, { open: 3 }, true],
  ["operators hold the circuits open", 10, { open: 10, held: 10 }, false],
  ["too few opened in addition to those that operators hold", 10, { open: 9, held: 5 }, false],
  ["enough opened in addition to those that operators hold", 10, { open: 9, held: 4 }, true],
  ["the organizations of open circuits are not connected", 4, { open: 6, unconnected: 6 }, false],
])("%s", async (_what, connected, circuits, expected) => {
  expect(await isOutage(connected, circuits)).toBe(expected);
});
