import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { EVENTS } from "./stage.ts";

type Consumed = { CapacityUnits?: number; TableName?: string };

export type MeasuredCall = {
  answer: unknown;
  /** Read units of one call, and the part of them for events. */
  units: number;
  eventUnits: number;
  /** The median of five calls. */
  milliseconds: number;
  /** The maximum number of concurrent queries. */
  atOnce: number;
};

const REPEATS = 5;

/** Measures units and duration of one query of the store, with a warm client. */
export const measureCall = async (
  client: DynamoDBDocumentClient,
  ask: () => Promise<unknown>,
): Promise<MeasuredCall> => {
  let [units, eventUnits, underWay, atOnce] = [0, 0, 0, 0];
  client.middlewareStack.add(
    (next) => async (args) => {
      atOnce = Math.max(atOnce, ++underWay);
      try {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
        const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Consumed | Consumed[] };
        for (const { CapacityUnits = 0, TableName } of [ConsumedCapacity].flat()) {
          units += CapacityUnits;
          if (TableName === EVENTS) eventUnits += CapacityUnits;
        }
        return result;
      } finally {
        underWay--;
      }
    },
    { step: "initialize", name: "measureCall" },
  );
  await ask();
  const times: number[] = [];
  let answer: unknown;
  for (let i = 0; i < REPEATS; i++) {
    [units, eventUnits] = [0, 0];
    const start = performance.now();
    answer = await ask();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { answer, units, eventUnits, milliseconds: times[Math.floor(REPEATS / 2)] ?? 0, atOnce };
};
