/** Test data: provider objects, stored records, and an in-memory record store. */
import { setImmediate } from "node:timers/promises";
import type {
  ObjectDeleted,
  ObjectState,
  ObjectTouched,
  PaymentLinked,
  SeenAt,
} from "../../shared/records/observation.ts";
import type { FieldsOf, RecordType } from "../../shared/records/record.ts";
import type { StoredRecord } from "../../shared/records/record-item.ts";
import type { RecordKey } from "../../shared/records/record-keys.ts";
import type { RecordStore } from "../../shared/records/record-store.ts";

/** Creation time of test objects, epoch milliseconds. */
export const CREATED_AT = Date.UTC(2026, 10, 21, 12, 0, 0);

/** A time in epoch seconds, or a range of two. */
export const seen = (from: number, to = from): SeenAt => ({ from, to });

export const customerFields: FieldsOf<"customers"> = {
  name: "Ada",
  email: "ada@example.com",
  currency: "eur",
  delinquent: false,
};
export const paymentFields: FieldsOf<"payments"> = {
  status: "processing",
  customerId: "cus_1",
  invoiceId: null,
  currency: "eur",
  amount: 1_000,
  amountReceived: 0,
  failureCode: null,
};
export const invoiceFields: FieldsOf<"invoices"> = {
  number: "A-1",
  status: "open",
  customerId: "cus_1",
  subscriptionId: null,
  currency: "eur",
  amountDue: 1_000,
  amountPaid: 0,
  dueAt: null,
  paidAt: null,
};
export const subscriptionFields: FieldsOf<"subscriptions"> = {
  status: "active",
  customerId: "cus_1",
  currency: "eur",
  items: [{ priceId: "price_1", quantity: 1, unitAmount: 1_000, interval: "month" }],
  currentPeriodStart: CREATED_AT,
  currentPeriodEnd: CREATED_AT + 86_400_000,
  cancelAtPeriodEnd: false,
  canceledAt: null,
};

type Changes<Type extends RecordType> = Partial<FieldsOf<Type>>;

const stateOf = (seenAt: SeenAt) => ({ kind: "state", createdAt: CREATED_AT, seenAt }) as const;

export const customer = (seenAt: SeenAt, fields: Changes<"customers"> = {}, id = "cus_1"): ObjectState => ({
  ...stateOf(seenAt),
  type: "customers",
  id,
  fields: { ...customerFields, ...fields },
});
export const payment = (seenAt: SeenAt, fields: Changes<"payments"> = {}, id = "pi_1"): ObjectState => ({
  ...stateOf(seenAt),
  type: "payments",
  id,
  fields: { ...paymentFields, ...fields },
});
export const invoice = (seenAt: SeenAt, fields: Changes<"invoices"> = {}, id = "in_1"): ObjectState => ({
  ...stateOf(seenAt),
  type: "invoices",
  id,
  fields: { ...invoiceFields, ...fields },
});
export const subscription = (seenAt: SeenAt, fields: Changes<"subscriptions"> = {}, id = "sub_1"): ObjectState => ({
  ...stateOf(seenAt),
  type: "subscriptions",
  id,
  fields: { ...subscriptionFields, ...fields },
});

export const deleted = ({ type, id }: RecordKey, seenAt: SeenAt, createdAt?: number): ObjectDeleted => ({
  kind: "deleted",
  type,
  id,
  seenAt,
  ...(createdAt !== undefined && { createdAt }),
});
export const touched = ({ type, id }: RecordKey, seenAt: SeenAt): ObjectTouched => ({
  kind: "touched",
  type,
  id,
  seenAt,
});
export const linked = (seenAt: SeenAt, invoiceId = "in_1", id = "pi_1"): PaymentLinked => ({
  kind: "linked",
  type: "payments",
  id,
  invoiceId,
  seenAt,
});

/** A state with extra fields that no record has, as a careless adapter would return it. */
export const withCard = (state: ObjectState): ObjectState =>
  ({ ...state, fields: Object.assign({ card: "4242424242424242" }, state.fields) }) as ObjectState;

/** The stored record of a state. */
export const storedAs = ({ type, id, createdAt, fields, seenAt }: ObjectState): StoredRecord => ({
  type,
  id,
  createdAt,
  fields,
  seenAt,
  updatedAt: CREATED_AT,
  isInQuestion: false,
  version: "v0",
});

type ApplyStore = Pick<RecordStore, "get" | "getMany" | "put">;

/**
 * An in-memory store with the same conditions as the table, and its contents.
 * @param turn awaited before each call executes and again before its answer arrives
 * @param isStale whether an eventually consistent read misses the last write
 */
export const recordsInMemory = (
  turn: () => Promise<unknown> = () => setImmediate(),
  isStale: () => boolean = () => false,
) => {
  const records = new Map<string, StoredRecord>();
  const before = new Map<string, StoredRecord | undefined>();
  const keyOf = (organizationId: string, { type, id }: RecordKey) => JSON.stringify([organizationId, type, id]);
  const atOnce = async <Result>(work: () => Result): Promise<Result> => {
    await turn();
    const result = work();
    await turn();
    return result;
  };
  const read = (key: string, strongly: boolean) => (!strongly && isStale() ? before : records).get(key);
  const store: ApplyStore = {
    get: (organizationId, key) => atOnce(() => records.get(keyOf(organizationId, key))),
    getMany: (organizationId, keys, { strongly }) =>
      atOnce(() =>
        keys.map((key) => read(keyOf(organizationId, key), strongly)).filter((record) => record !== undefined),
      ),
    put: (organizationId, record, previousVersion) =>
      atOnce(() => {
        const key = keyOf(organizationId, record);
        const previous = records.get(key);
        if (previous?.version !== previousVersion) return false;
        before.set(key, previous);
        records.set(key, record);
        return true;
      }),
  };
  return { store, of: (organizationId: string, key: RecordKey) => records.get(keyOf(organizationId, key)) };
};
