/** Writes with a condition. No other file catches the SDK's errors of failed conditions. */
import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { callStore } from "./call-store.ts";
import { documentTranslation } from "./document-translation.ts";
import { DomainError } from "./domain-error.ts";
import { newRequestToken } from "./ids.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";

type Item = Record<string, unknown>;
type Send<Output> = Parameters<typeof callStore<Output>>[0];

/**
 * Whether a write met its condition.
 *
 * `isRepeated`: the SDK sent the write more than once. An earlier attempt may have written the item and lost its answer;
 * the condition then fails because of this caller's own write. Compare a token of the call that the item keeps.
 * `item`: the stored item if the condition failed, where the command has `ReturnValuesOnConditionCheckFailure: "ALL_OLD"`;
 * undefined or without attributes if there is no item.
 */
export type ConditionalWrite<Output> =
  | { written: true; output: Output; isRepeated: boolean }
  | { written: false; item: Item | undefined; isRepeated: boolean };

type Answer = { $metadata: { attempts?: number | undefined } };

const isRepeated = ({ $metadata }: Answer): boolean => ($metadata.attempts ?? 1) > 1;

const toItem = (item: ConditionalCheckFailedException["Item"]): Item | undefined =>
  // The document client sets convertWithoutMapWrapper in the options that it was given.
  item && unmarshall(item, { ...documentTranslation.unmarshallOptions, convertWithoutMapWrapper: false });

/**
 * Sends one put, update or delete with a condition: `conditionalWrite((options) => client.send(command, options))`.
 * A caller that accepts a failed condition ignores the result; one that only needs to know reads `written`.
 * @param deadlineMs for all attempts together.
 * @throws DomainError `store_unavailable`; even if another transaction holds the item (`isTransactionConflict`).
 */
export const conditionalWrite = async <Output extends Answer>(
  send: Send<Output>,
  deadlineMs?: number,
): Promise<ConditionalWrite<Output>> => {
  try {
    const output = await callStore(send, deadlineMs);
    return { written: true, output, isRepeated: isRepeated(output) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { written: false, item: toItem(error.Item), isRepeated: isRepeated(error) };
  }
};

/**
 * Whether a transaction was carried out.
 *
 * `failedConditions`: the positions of the transaction's items whose condition failed, each with the stored item where
 * the transaction asks for it. Empty if another transaction held an item: then the same transaction may be tried again.
 */
export type ConditionalTransaction =
  | { written: true }
  | { written: false; failedConditions: ReadonlyMap<number, Item | undefined>; cause: Error };

/**
 * Sends one transaction of conditional writes. The command must have a `ClientRequestToken`: DynamoDB then answers a
 * repeated attempt as it answered the first.
 * @throws DomainError `store_unavailable`.
 */
export const conditionalTransaction = async (send: Send<unknown>): Promise<ConditionalTransaction> => {
  try {
    await callStore(send);
    return { written: true };
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = [...(error.CancellationReasons ?? []).entries()];
    const failed = reasons.filter(([, { Code }]) => Code === "ConditionalCheckFailed");
    const failedConditions = new Map(failed.map(([position, { Item }]) => [position, toItem(Item)]));
    return { written: false, failedConditions, cause: error };
  }
};

const transaction = (client: DynamoDBDocumentClient, TransactItems: TransactWriteCommandInput["TransactItems"]) => {
  const command = new TransactWriteCommand({ ClientRequestToken: newRequestToken(), TransactItems });
  return conditionalTransaction((options) => client.send(command, options));
};

/** @returns the `failedConditions` of conditionalTransaction; undefined if another transaction holds an item. */
export const transactOnce = async (
  ...parameters: Parameters<typeof transaction>
): Promise<ReadonlyMap<number, Item | undefined> | undefined> => {
  const result = await transaction(...parameters);
  if (result.written) return new Map();
  return result.failedConditions.size > 0 ? result.failedConditions : undefined;
};

/** Attempts of a transaction while other transactions hold its items. */
const TRANSACTION_ATTEMPTS = 6;

/**
 * Sends a transaction, and repeats it while other transactions hold its items.
 * @returns the `failedConditions` of conditionalTransaction; empty if the transaction was carried out.
 * @throws DomainError `store_unavailable`, also after six attempts.
 */
export const transactWithRetry = async (
  ...parameters: Parameters<typeof transaction>
): Promise<ReadonlyMap<number, Item | undefined>> => {
  for (let attempts = 0; ; attempts++) {
    const result = await transaction(...parameters);
    if (result.written) return new Map();
    if (result.failedConditions.size > 0) return result.failedConditions;
    if (attempts + 1 === TRANSACTION_ATTEMPTS) {
      const { cause } = result;
      throw new DomainError("store_unavailable", "The store is busy with other requests. Try again.", { cause });
    }
    await pauseBeforeRetry(attempts);
  }
};
