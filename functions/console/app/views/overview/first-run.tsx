import { useMay } from "../../access.ts";
import type { Connection } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";

/** Before the first connection there is nothing to look at. */
export const FirstRun = ({ connection: { provider } }: { connection: Connection }) => (
  <Card title={`Connect ${provider.name}`}>
    <p>
      No account of {provider.name} is connected yet. After that, its customers, subscriptions, invoices and payments
      are synced, and this page shows whether all is well.
    </p>
    {useMay("connection:manage") ? (
      <p>
        <a class="button main overview-connect" href="/console/connection">
          Connect the provider
        </a>
      </p>
    ) : (
      <p>Ask an administrator of your organization to connect it.</p>
    )}
  </Card>
);
