/** What a customer has paid and still owes, as far as the newest invoices say. */
import type { Resource } from "../../api/resource.ts";
import type { Record as ProviderRecord } from "../../api/types.ts";
import { Card, Facts } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { formatAmount, formatNumber, plural } from "../../words/format.ts";

type Invoices = { items: readonly ProviderRecord[]; next: string | undefined };

type Invoice = Extract<ProviderRecord, { type: "invoices" }>;

/** By currency: amounts of two currencies are never one. */
const inAll = (invoices: readonly Invoice[], amountOf: (invoice: Invoice) => number): string => {
  const sums = new Map<string | null, number>();
  for (const one of invoices) sums.set(one.currency, (sums.get(one.currency) ?? 0) + amountOf(one));
  return [...sums].map(([currency, amount]) => formatAmount(amount, currency)).join(" and ");
};

export const CustomerTotals = ({ of }: { of: Resource<Invoices> }) => (
  <Card title="Totals">
    <Loaded of={of} what="the totals">
      {({ items, next }) => {
        const invoices = items.filter((one): one is Invoice => one.type === "invoices" && !one.deleted);
        const paid = invoices.filter(({ amountPaid }) => (amountPaid ?? 0) > 0);
        const open = invoices.filter(({ status }) => status === "open");
        return (
          <>
            <Facts
              of={[
                [
                  "Unpaid",
                  open.length === 0
                    ? "Nothing"
                    : `${inAll(open, ({ amountDue, amountPaid }) => (amountDue ?? 0) - (amountPaid ?? 0))} in ${plural(open.length, "open invoice")}`,
                ],
                [
                  "Paid",
                  paid.length === 0
                    ? "Nothing"
                    : `${inAll(paid, (one) => one.amountPaid ?? 0)} in ${plural(paid.length, "invoice")}`,
                ],
              ]}
            />
            {next !== undefined && <p class="quiet">Of the newest {formatNumber(items.length)} invoices.</p>}
          </>
        );
      }}
    </Loaded>
  </Card>
);
