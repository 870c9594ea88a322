/** Everything that the service keeps of one record. */
import type { Record as ProviderRecord } from "../../api/types.ts";
import { CopiedId } from "../../parts/copy-button.tsx";
import { Facts } from "../../parts/page.tsx";
import { Badge, RecordLink, Time } from "../../parts/values.tsx";
import { Amount, Customer, Status } from "./columns.tsx";
import { itemInWords, statusInWords } from "./record-words.ts";

type Entries = Parameters<typeof Facts>[0]["of"];

const Moment = ({ at }: { at: number | null }) => (at === null ? <>—</> : <Time at={at} />);

const yesOrNo = (value: boolean | null): string => (value === null ? "—" : value ? "Yes" : "No");

const factsOf = (record: ProviderRecord): Entries => {
  switch (record.type) {
    case "customers":
      return [
        ["Name", record.name ?? "—"],
        ["Email", record.email ?? "—"],
        ["Currency", record.currency?.toUpperCase() ?? "—"],
        ["Delinquent", yesOrNo(record.delinquent)],
      ];
    case "subscriptions":
      return [
        ["Status", <Status key="status" status={record.status} />],
        ["Customer", <Customer key="customer" id={record.customerId} />],
        [
          "Items",
          <ul key="items">
            {record.items?.map((item, index) => (
              <li key={`${item.priceId} ${index}`}>
                {itemInWords(item, record.currency)}{" "}
                {item.priceId !== null && <code class="quiet">{item.priceId}</code>}
              </li>
            ))}
          </ul>,
        ],
        ["Period began", <Moment key="start" at={record.currentPeriodStart} />],
        ["Period ends", <Moment key="end" at={record.currentPeriodEnd} />],
        ["Ends with the period", yesOrNo(record.cancelAtPeriodEnd)],
        ["Cancelled", <Moment key="canceled" at={record.canceledAt} />],
      ];
    case "invoices":
      return [
        ["Number", record.number ?? "—"],
        ["Status", <Status key="status" status={record.status} />],
        ["Customer", <Customer key="customer" id={record.customerId} />],
        ["Subscription", record.subscriptionId && <RecordLink type="subscriptions" id={record.subscriptionId} />],
        ["Amount due", <Amount key="due" amount={record.amountDue} currency={record.currency} />],
        ["Amount paid", <Amount key="paid" amount={record.amountPaid} currency={record.currency} />],
        ["Due by", <Moment key="dueAt" at={record.dueAt} />],
        ["Paid", <Moment key="paidAt" at={record.paidAt} />],
      ];
    case "payments":
      return [
        ["Status", <Status key="status" status={record.status} />],
        ["Amount", <Amount key="amount" amount={record.amount} currency={record.currency} />],
        ["Received", <Amount key="received" amount={record.amountReceived} currency={record.currency} />],
        ["Failure", record.failureCode],
        ["Customer", <Customer key="customer" id={record.customerId} />],
        ["Invoice", record.invoiceId && <RecordLink type="invoices" id={record.invoiceId} />],
      ];
    case "refunds":
      return [
        ["Status", <Status key="status" status={record.status} />],
        ["Amount", <Amount key="amount" amount={record.amount} currency={record.currency} />],
        ["Reason", record.reason && statusInWords(record.reason)],
        ["Failure", record.failureReason],
        ["Payment", record.paymentId && <RecordLink type="payments" id={record.paymentId} />],
      ];
    case "disputes":
      return [
        ["Status", <Status key="status" status={record.status} />],
        ["Evidence due", <Moment key="due" at={record.evidenceDueAt} />],
        ["Amount", <Amount key="amount" amount={record.amount} currency={record.currency} />],
        ["Reason", record.reason && statusInWords(record.reason)],
        ["Payment", record.paymentId && <RecordLink type="payments" id={record.paymentId} />],
      ];
    case "payouts":
      return [
        ["Status", <Status key="status" status={record.status} />],
        ["Amount", <Amount key="amount" amount={record.amount} currency={record.currency} />],
        ["Arrives", <Moment key="arrives" at={record.arrivesAt} />],
        ["Method", record.method],
        ["Automatic", yesOrNo(record.automatic)],
        ["Failure", record.failureCode],
      ];
  }
};

export const RecordFacts = ({ record }: { record: ProviderRecord }) => {
  const { id, deleted, createdAt, updatedAt } = record;
  return (
    <>
      {deleted && (
        <p>
          <Badge tone="quiet">Deleted</Badge> It was deleted at the provider, so only its id and its times are kept
          here.
        </p>
      )}
      <Facts
        of={[
          ["Id", <CopiedId key="id" id={id} what="The record’s id" />],
          ...(deleted ? [] : factsOf(record)),
          ["Created", createdAt === 0 ? "The provider does not tell" : <Time key="created" at={createdAt} />],
          ["Changed here", <Time key="updated" at={updatedAt} />],
        ]}
      />
    </>
  );
};
