/**
 * Replaces items by batches of PartiQL statements. DynamoDB executes each statement by itself, for the units of a single
 * write, but the client's work for a call is shared by 25 items.
 *
 * A statement that is sent again may be refused because its first attempt was executed and only the answer was lost.
 * Then a strong read of the item's version decides whether the statement counts as written.
 */
import { BatchExecuteStatementCommand } from "@aws-sdk/lib-dynamodb";
import type { TableName } from "../terms/tables.ts";
import { callStore, isItemRefused } from "./call-store.ts";
import { DomainError } from "./domain-error.ts";
import { writeLog } from "./log.ts";
import { type Statement, statementOf } from "./partiql.ts";
import { type ReplaceItem, type Replacement, replaceSingly } from "./replace-item.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";
import type { Table } from "./table.ts";
import { getItems } from "./table-batches.ts";
import type { Item } from "./table-expressions.ts";

/** The limit of BatchExecuteStatement. */
const STATEMENTS_PER_CALL = 25;
/** With growing pauses in between. */
const ATTEMPTS = 8;

/** The codes of statements. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html */
const CONFLICTS = ["DuplicateItem", "ConditionalCheckFailed"];
const TEMPORARY = [
  "InternalServerError",
  "ProvisionedThroughputExceeded",
  "RequestLimitExceeded",
  "ThrottlingError",
  "TransactionConflict",
];

/** A replacement whose caller waits for the result. */
type Waiting<Name extends TableName> = {
  replacement: Replacement<Name>;
  resolve(isWritten: boolean): void;
  reject(error: unknown): void;
};

type Sent<Name extends TableName> = Waiting<Name> & { statement: Statement };

/**
 * The statements of a call by their result. `refused`: for another reason than a conflict, such as the item's size.
 * `isRepeated`: the SDK sent the call more than once.
 */
type Results<Name extends TableName> = {
  written: readonly Sent<Name>[];
  conflicting: readonly Sent<Name>[];
  unfinished: readonly Sent<Name>[];
  refused: readonly Sent<Name>[];
  isRepeated: boolean;
};

/** An item's key as text. @param key has the attributes of the table's key. */
const nameOf = (key: Item, item: Item): string => JSON.stringify(Object.keys(key).map((name) => String(item[name])));

const resultOf = (response: { Error?: { Code?: string | undefined } | undefined } | undefined) => {
  // A statement without a response was not executed, or only its answer is missing.
  if (response === undefined) return "unfinished";
  if (response.Error === undefined) return "written";
  const { Code = "" } = response.Error;
  if (CONFLICTS.includes(Code)) return "conflicting";
  return TEMPORARY.includes(Code) ? "unfinished" : "refused";
};

/** Sends the statements once. @throws DomainError `store_unavailable`, if the call as a whole fails. */
const sendOnce = async <Name extends TableName>(
  { client }: Table<Name>,
  sent: readonly Sent<Name>[],
): Promise<Results<Name>> => {
  const command = new BatchExecuteStatementCommand({ Statements: sent.map(({ statement }) => statement) });
  try {
    const { Responses = [], $metadata } = await callStore((options) => client.send(command, options));
    const {
      written = [],
      conflicting = [],
      unfinished = [],
      refused = [],
    } = Object.groupBy(sent, (_, position) => resultOf(Responses[position]));
    return { written, conflicting, unfinished, refused, isRepeated: ($metadata.attempts ?? 1) > 1 };
  } catch (error) {
    if (!isItemRefused(error)) throw error;
    // One statement may be the reason, such as a text that is not well-formed Unicode.
    return { written: [], conflicting: [], unfinished: [], refused: sent, isRepeated: false };
  }
};

/** Answers each caller by the version that is stored now. */
const compareVersions = async <Name extends TableName>(
  table: Table<Name>,
  version: string,
  sent: readonly Sent<Name>[],
): Promise<void> => {
  const keys = sent.map(({ replacement }) => replacement.key);
  const attributes = [...keys.slice(0, 1).flatMap(Object.keys), version];
  const { items } = await getItems(table, keys, { attributes, isConsistent: true });
  for (const { replacement, resolve } of sent) {
    const { key, item } = replacement;
    const stored = items.find((one) => nameOf(key, one) === nameOf(key, key));
    resolve(stored?.[version] === (item as Item)[version]);
  }
};

/** Puts each item by a call of its own, whose answer says why it failed. The SDK repeats it as any other call. */
const putSingly = async <Name extends TableName>(
  table: Table<Name>,
  version: string,
  waiting: readonly Waiting<Name>[],
): Promise<void> => {
  const replace = replaceSingly(table, version);
  await Promise.all(waiting.map(({ replacement, resolve, reject }) => replace(replacement).then(resolve, reject)));
};

/** Sends the statements until each is written, refused or conflicting. @throws DomainError `store_unavailable`. */
const sendAll = async <Name extends TableName>(
  table: Table<Name>,
  version: string,
  statements: readonly Sent<Name>[],
): Promise<void> => {
  let left = statements;
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === ATTEMPTS) throw new DomainError("store_unavailable", "The store left items unwritten. Try again.");
    if (attempt > 0) await pauseBeforeRetry(attempt);
    const { written, conflicting, unfinished, refused, isRepeated } = await sendOnce(table, left);
    for (const { resolve } of written) resolve(true);
    if (isRepeated || attempt > 0) await compareVersions(table, version, conflicting);
    else for (const { resolve } of conflicting) resolve(false);
    if (refused.length > 0) {
      writeLog("warn", "The store refuses statements of a batch; their items are put singly", {
        count: refused.length,
      });
      await putSingly(table, version, refused);
    }
    left = unfinished;
  }
};

/**
 * Replaces the items that are given in one turn of the event loop together, 25 by a call. A single item, and an item
 * for which there is no statement, is put by a call of its own. Needs the rights to put, to insert and to update.
 *
 * A statement's failure concerns only its own item. If a call fails as a whole, all its items fail.
 * @param version the attribute that each write sets to a value that no other write has.
 */
export const replaceInBatches = <Name extends TableName>(table: Table<Name>, version: string): ReplaceItem<Name> => {
  let gathered = new Map<string, Waiting<Name>>();

  const send = (): void => {
    const batch = [...gathered.values()];
    gathered = new Map();
    const singles: Waiting<Name>[] = [];
    const statements: Sent<Name>[] = [];
    for (const one of batch) {
      const statement = batch.length === 1 ? undefined : statementOf(table.deployedName, version, one.replacement);
      if (statement === undefined) singles.push(one);
      else statements.push({ ...one, statement });
    }
    void putSingly(table, version, singles);
    sendAll(table, version, statements).catch((error: unknown) => {
      // Callers that have their result already ignore this.
      for (const { reject } of statements) reject(error);
    });
  };

  return (replacement) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const name = nameOf(replacement.key, replacement.key);
    // DynamoDB refuses a batch with two statements for one item.
    if (gathered.size === STATEMENTS_PER_CALL || gathered.has(name)) send();
    if (gathered.size === 0) setImmediate(send);
    gathered.set(name, { replacement, resolve, reject });
    return promise;
  };
};
