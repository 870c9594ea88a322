/** A process with many callers, which races.deep.test.ts controls. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, type TranslateConfig } from "@aws-sdk/lib-dynamodb";
import { createInstance, fail } from "./instance.ts";

/** `outcome`: how each call ends. `hold`: calls end only when the test releases them. */
export type Race = {
  organizationId: string;
  now: number;
  callers: number;
  outcome: "success" | "failure";
  hold: boolean;
};

/** `reached`: calls that reached the provider. */
export type RaceResult = { reached: number; refused: number; transitions: number[] };

const endpoint = process.argv[2] ?? "";
const skewMs = Number(process.argv[3] ?? 0);
let now = 0;

const documentClient = (translation: TranslateConfig = {}) =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint,
      region: "eu-central-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    }),
    translation,
  );

let letGo = () => {};
const instance = createInstance({ documentClient }, () => now, { skewMs });

const run = async (race: Race): Promise<RaceResult> => {
  now = race.now;
  let reached = 0;
  let settled = 0;
  const { promise: released, resolve } = Promise.withResolvers<void>();
  letGo = resolve;
  const tell = () => {
    if (race.hold && reached + settled === race.callers) process.send?.({ isHolding: true, reached });
  };
  const call = async (): Promise<void> => {
    reached++;
    tell();
    if (race.hold) await released;
    if (race.outcome === "failure") await fail();
  };
  const one = async (): Promise<"refused" | "ended"> => {
    try {
      await instance.guard(race.organizationId, call, { isStart: true });
      return "ended";
    } catch (error) {
      if ((error as { code?: string }).code !== "circuit_open") return "ended";
      settled++;
      tell();
      return "refused";
    }
  };
  const ends = await Promise.all(Array.from({ length: race.callers }, one));
  await instance.guard.flush();
  const transitions = instance.transitions.splice(0).map(({ generation }) => generation);
  return { reached, refused: ends.filter((end) => end === "refused").length, transitions };
};

process.on("message", (message: Race | "let go" | "stop") => {
  if (message === "let go") letGo();
  else if (message === "stop") process.disconnect();
  else void run(message).then((result) => process.send?.(result));
});
process.send?.({ isReady: true });
