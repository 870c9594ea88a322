/** What a list shows of each type of records. */
import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useMayRead } from "../../access.ts";
import { askCustomerName, customerName } from "../../api/customer-names.ts";
import type { Record as ProviderRecord, RecordType } from "../../api/types.ts";
import type { Column } from "../../parts/table.tsx";
import { Badge, Cut, Day, RecordLink } from "../../parts/values.tsx";
import { formatAmount, inWords } from "../../words/format.ts";
import { statusInWords, toneOf } from "./record-words.ts";

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

const KnownCustomer = ({ id }: { id: string }) => {
  const mayRead = useMayRead("customers");
  // Only the cells whose name has come are drawn again.
  const name = useComputed(() => customerName(id)).value;
  useEffect(() => {
    if (mayRead) askCustomerName(id);
  }, [mayRead, id]);
  return <RecordLink type="customers" id={id} name={name} />;
};

/** By name, as far as the role may read it. */
export const Customer = ({ id }: { id: string | null }) => (id === null ? null : <KnownCustomer key={id} id={id} />);

const customers = [
  column("customers", "Email", ({ email }) => email !== null && <Cut isWide>{email}</Cut>),
  column("customers", "Standing", ({ delinquent }) =>
    delinquent === null ? null : delinquent ? <Badge tone="bad">Delinquent</Badge> : <span class="quiet">Good</span>,
  ),
];

const subscriptions = [
  column("subscriptions", "Status", ({ status }) => <Status status={status} />),
  column("subscriptions", "Customer", ({ customerId }) => <Customer id={customerId} />),
  column("subscriptions", "Period ends", ({ currentPeriodEnd, cancelAtPeriodEnd }) => (
    <>
      {currentPeriodEnd !== null && <Day at={currentPeriodEnd} />}
      {cancelAtPeriodEnd && <p class="quiet">then it is cancelled</p>}
    </>
  )),
];

/** Only a part that is paid is news: the status says the rest. */
const Due = ({ amountDue, amountPaid, currency }: OfType<"invoices">) => (
  <>
    <Amount amount={amountDue} currency={currency} />
    {amountDue !== null && amountPaid !== null && amountPaid > 0 && amountPaid < amountDue && (
      <p class="quiet">
        <Amount amount={amountPaid} currency={currency} /> paid
      </p>
    )}
  </>
);

const invoices = [
  column("invoices", "Status", ({ status }) => <Status status={status} />),
  column("invoices", "Customer", ({ customerId }) => <Customer id={customerId} />),
  column("invoices", "Amount due", Due, true),
  column("invoices", "Due by", ({ dueAt }) => dueAt !== null && <Day at={dueAt} />),
];

type OutcomeProps = { status: string | null; failure: string | null };

const Outcome = ({ status, failure }: OutcomeProps) => (
  <>
    <Status status={status} />
    {failure !== null && (
      <div class="records-failure">
        <Cut>{inWords(failure)}</Cut>
      </div>
    )}
  </>
);

const Reason = ({ reason }: { reason: string | null }) => (reason === null ? null : <Cut>{inWords(reason)}</Cut>);

const Payment = ({ id }: { id: string | null }) => (id === null ? null : <RecordLink type="payments" id={id} />);

const payments = [
  column("payments", "Status", ({ status, failureCode }) => <Outcome status={status} failure={failureCode} />),
  column("payments", "Customer", ({ customerId }) => <Customer id={customerId} />),
  column("payments", "Invoice", ({ invoiceId }) =>
    invoiceId === null ? null : <RecordLink type="invoices" id={invoiceId} />,
  ),
];

const refunds = [
  column("refunds", "Status", ({ status, failureReason }) => <Outcome status={status} failure={failureReason} />),
  column("refunds", "Reason", Reason),
  column("refunds", "Payment", ({ paymentId }) => <Payment id={paymentId} />),
];

const disputes = [
  column("disputes", "Status", ({ status }) => <Status status={status} />),
  column("disputes", "Reason", Reason),
  column("disputes", "Evidence due", ({ evidenceDueAt }) => evidenceDueAt !== null && <Day at={evidenceDueAt} />),
  column("disputes", "Payment", ({ paymentId }) => <Payment id={paymentId} />),
];

const payouts = [
  column("payouts", "Status", ({ status, failureCode }) => <Outcome status={status} failure={failureCode} />),
  column("payouts", "Arrives", ({ arrivesAt }) => arrivesAt !== null && <Day at={arrivesAt} />),
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
