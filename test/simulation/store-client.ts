/**
 * The document client of a simulation: it repeats what failed, and throws the SDK's errors, as the SDK's standard retry mode does.
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Item } from "../support/expressions.ts";
import type { Input } from "./memory-dynamodb.ts";

/** An answer of DynamoDB: an output, or an error. Items are plain values. */
export type StoreAnswer = { status: number; output?: object; error?: string; details?: Record<string, unknown> };

type Command = { constructor: { name: string }; input: object };
type Options = { abortSignal?: AbortSignal };

const MAX_ATTEMPTS = 3;
const BASE_MS = 100;

const RETRYABLE = ["ThrottlingException", "ProvisionedThroughputExceededException", "ECONNRESET", "ETIMEDOUT"];

type Details = { Item?: Item; CancellationReasons?: { Item?: Item }[] };

const onWire = <Reason extends { Item?: Item }>({ Item: item, ...rest }: Reason) => ({
  ...rest,
  ...(item !== undefined && { Item: marshall(item) }),
});

const errorOf = (name: string, details: Details, $metadata: object): Error => {
  if (name === "ConditionalCheckFailedException") {
    return new ConditionalCheckFailedException({ message: name, $metadata, ...onWire(details) });
  }
  if (name === "TransactionCanceledException") {
    const CancellationReasons = details.CancellationReasons?.map(onWire);
    return new TransactionCanceledException({
      message: name,
      $metadata,
      ...(CancellationReasons && { CancellationReasons }),
    });
  }
  return Object.assign(new Error(name), { name, $metadata });
};

/** @param attempt sends a command once; rejects without an answer. */
export const createStoreClient =
  (attempt: (operation: string, input: Input, signal: AbortSignal | undefined) => Promise<StoreAnswer>) =>
  async (command: Command, { abortSignal }: Options = {}): Promise<object> => {
    const operation = command.constructor.name.replace(/Command$/, "");
    for (let attempts = 1; ; attempts++) {
      const $metadata = { attempts };
      let failure: { error: unknown; mayRepeat: boolean };
      try {
        const {
          status,
          output,
          error = "",
          details = {},
        } = await attempt(operation, command.input as Input, abortSignal);
        if (output !== undefined) return { ...output, $metadata };
        failure = { error: errorOf(error, details, $metadata), mayRepeat: status >= 500 || RETRYABLE.includes(error) };
      } catch (error) {
        const code = error instanceof Error && "code" in error ? String(error.code) : "";
        failure = { error, mayRepeat: RETRYABLE.includes(code) };
      }
      if (!failure.mayRepeat || attempts === MAX_ATTEMPTS) throw failure.error;
      await sleep(Math.random() * BASE_MS * 2 ** attempts);
      if (abortSignal?.aborted) throw Object.assign(new Error("Request aborted"), { name: "AbortError" });
    }
  };
