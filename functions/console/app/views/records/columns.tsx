/** What a list shows of each type of records. */
import type { ComponentChildren } from "preact";
import type { Record as ProviderRecord, RecordType } from "../../api/types.ts";
import type { Column } from "../../parts/table.tsx";
import { Badge, RecordLink, Time } from "../../parts/values.tsx";
import { formatAmount } from "../../words/format.ts";
import { itemInWords, statusInWords, toneOf } from "./record-words.ts";

type OfType<Type extends RecordType> = Extract<ProviderRecord, { type: Type }>;

/** Cells of deleted records are empty: the service keeps none of their fields. */
const column = <Type extends RecordType>(
  type: Type,
  head: string,
  cell: (record: OfType<Type>) => ComponentChildren,
  isNumber = false,
): Column<ProviderRecord> => ({
  head,
  isNumber,
  cell: (record) => (record.type === type && !record.deleted ? cell(record as OfType<Type>) : null),
});

export const Status = ({ status }: { status: string | null }) =>
  status === null ? null : <Badge tone={toneOf(status)}>{statusInWords(status)}</Badge>;

export const Amount = ({ amount, currency }: { amount: number | null; currency: string | null }) =>
  amount === null ? null : <span>{formatAmount(amount, currency)}</span>;

const Day = ({ at }: { at: number | null }) => (at === null ? null : <Time at={at} />);

export const Customer = ({ id }: { id: string | null }) =>
  id === null ? null : <RecordLink type="customers" id={id} />;

const customers = [
  column("customers", "Name", ({ name }) => name),
  column("customers", "Email", ({ email }) => email),
  column("customers", "Standing", ({ delinquent }) =>
    delinquent === null ? null : delinquent ? (
      <Badge tone="bad">Delinquent</Badge>
    ) : (
      <Badge tone="good">In good standing</Badge>
    ),
  ),
];

const subscriptions = [
  column("subscriptions", "Status", ({ status }) => <Status status={status} />),
  column("subscriptions", "Items", ({ items, currency }) => (
    <ul>
      {items?.map((item, index) => (
        <li key={`${item.priceId} ${index}`}>{itemInWords(item, currency)}</li>
      ))}
    </ul>
  )),
  column("subscriptions", "Customer", ({ customerId }) => <Customer id={customerId} />),
  column("subscriptions", "Current period ends", ({ currentPeriodEnd, cancelAtPeriodEnd }) => (
    <>
      <Day at={currentPeriodEnd} />
      {cancelAtPeriodEnd && <p class="quiet">then it is cancelled</p>}
    </>
  )),
];

const invoices = [
  column("invoices", "Number", ({ number }) => number),
  column("invoices", "Status", ({ status }) => <Status status={status} />),
  column("invoices", "Customer", ({ customerId }) => <Customer id={customerId} />),
  column("invoices", "Due", ({ amountDue, currency }) => <Amount amount={amountDue} currency={currency} />, true),
  column("invoices", "Paid", ({ amountPaid, currency }) => <Amount amount={amountPaid} currency={currency} />, true),
  column("invoices", "Due by", ({ dueAt }) => <Day at={dueAt} />),
];

const payments = [
  column("payments", "Amount", ({ amount, currency }) => <Amount amount={amount} currency={currency} />, true),
  column("payments", "Status", ({ status, failureCode }) => (
    <>
      <Status status={status} />
      {failureCode !== null && <p class="records-failure">{failureCode}</p>}
    </>
  )),
  column("payments", "Customer", ({ customerId }) => <Customer id={customerId} />),
  column("payments", "Invoice", ({ invoiceId }) =>
    invoiceId === null ? null : <RecordLink type="invoices" id={invoiceId} />,
  ),
];

const Payment = ({ id }: { id: string | null }) => (id === null ? null : <RecordLink type="payments" id={id} />);

const refunds = [
  column("refunds", "Amount", ({ amount, currency }) => <Amount amount={amount} currency={currency} />, true),
  column("refunds", "Status", ({ status, failureReason }) => (
    <>
      <Status status={status} />
      {failureReason !== null && <p class="records-failure">{failureReason}</p>}
    </>
  )),
  column("refunds", "Reason", ({ reason }) => reason && statusInWords(reason)),
  column("refunds", "Payment", ({ paymentId }) => <Payment id={paymentId} />),
];

const disputes = [
  column("disputes", "Amount", ({ amount, currency }) => <Amount amount={amount} currency={currency} />, true),
  column("disputes", "Status", ({ status }) => <Status status={status} />),
  column("disputes", "Reason", ({ reason }) => reason && statusInWords(reason)),
  column("disputes", "Evidence due", ({ evidenceDueAt }) => <Day at={evidenceDueAt} />),
  column("disputes", "Payment", ({ paymentId }) => <Payment id={paymentId} />),
];

const payouts = [
  column("payouts", "Amount", ({ amount, currency }) => <Amount amount={amount} currency={currency} />, true),
  column("payouts", "Status", ({ status, failureCode }) => (
    <>
      <Status status={status} />
      {failureCode !== null && <p class="records-failure">{failureCode}</p>}
    </>
  )),
  column("payouts", "Arrives", ({ arrivesAt }) => <Day at={arrivesAt} />),
];

export const columns: Readonly<Record<RecordType, readonly Column<ProviderRecord>[]>> = {
  customers,
  subscriptions,
  invoices,
  payments,
  refunds,
  disputes,
  payouts,
};
