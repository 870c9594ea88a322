/** Test data: provider objects, stored records, and an in-memory record store. */
import { setImmediate } from "node:timers/promises";
import type {
  ObjectDeleted,
  ObjectState,
  ObjectTouched,
  ObservedAt,
  PaymentLinked,
} from "../../shared/records/observation.ts";
import type { FieldsOf, RecordType } from "../../shared/records/record.ts";
import type { RecordKey, StoredRecord } from "../../shared/records/record-item.ts";
import type { RecordStore } from "../../shared/records/record-store.ts";

/** Creation time of test objects, epoch milliseconds. */
export const CREATED_AT = Date.UTC(2026, 10, 21, 12, 0, 0);

/** A time in epoch seconds, or a range of two. */
export const seen = (from: number, to = from): ObservedAt => ({ from, to });

export const customerFields: FieldsOf<"customers"> = {
  name: "Ada",
  email: "ada@example.com",
  currency: "eur",
  delinquent: false,
};
const paymentFields: FieldsOf<"payments"> = {
  status: "processing",
  customerId: "cus_1",
  invoiceId: null,
  currency: "eur",
  amount: 1_000,
  amountReceived: 0,
  failureCode: null,
};
const invoiceFields: FieldsOf<"invoices"> = {
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

const stateOf = (observedAt: ObservedAt) => ({ kind: "state", createdAt: CREATED_AT, observedAt }) as const;

export const customer = (observedAt: ObservedAt, fields: Changes<"customers"> = {}, id = "cus_1"): ObjectState => ({
  ...stateOf(observedAt),
  type: "customers",
  id,
  fields: { ...customerFields, ...fields },
});
export const payment = (observedAt: ObservedAt, fields: Changes<"payments"> = {}, id = "pi_1"): ObjectState => ({
  ...stateOf(observedAt),
  type: "payments",
  id,
  fields: { ...paymentFields, ...fields },
});
export const invoice = (observedAt: ObservedAt, fields: Changes<"invoices"> = {}, id = "in_1"): ObjectState => ({
  ...stateOf(observedAt),
  type: "invoices",
  id,
  fields: { ...invoiceFields, ...fields },
});
export const subscription = (
  observedAt: ObservedAt,
  fields: Changes<"subscriptions"> = {},
  id = "sub_1",
): ObjectState => ({
  ...stateOf(observedAt),
  type: "subscriptions",
  id,
  fields: { ...subscriptionFields, ...fields },
});

export const deleted = ({ type, id }: RecordKey, observedAt: ObservedAt, createdAt?: number): ObjectDeleted => ({
  kind: "deleted",
  type,
  id,
  observedAt,
  ...(createdAt !== undefined && { createdAt }),
});
export const touched = ({ type, id }: RecordKey, observedAt: ObservedAt): ObjectTouched => ({
  kind: "touched",
  type,
  id,
  observedAt,
});
export const linked = (observedAt: ObservedAt, invoiceId = "in_1", id = "pi_1"): PaymentLinked => ({
  kind: "linked",
  type: "payments",
  id,
  invoiceId,
  observedAt,
});

/** A state with extra fields that no record has, as a careless adapter would return it. */
export const withCard = (state: ObjectState): ObjectState =>
  ({ ...state, fields: Object.assign({ card: "4242424242424242" }, state.fields) }) as ObjectState;

/** The stored record of a state. */
export const storedAs = ({ type, id, createdAt, fields, observedAt }: ObjectState): StoredRecord => ({
  type,
  id,
  createdAt,
  fields,
  observedAt,
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
    put: (organizationId, record, readBefore) =>
      atOnce(() => {
        const key = keyOf(organizationId, record);
        const previous = records.get(key);
        if (previous?.version !== readBefore?.version) return false;
        before.set(key, previous);
        records.set(key, record);
        return true;
      }),
  };
  return { store, of: (organizationId: string, key: RecordKey) => records.get(keyOf(organizationId, key)) };
};
