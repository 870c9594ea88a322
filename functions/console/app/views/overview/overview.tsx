import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import { Card, Facts, Page } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { RelativeTime } from "../../parts/time.tsx";

export const Overview = () => {
  const connection = useResource(
    "connection",
    (signal) => answer(api.GET("/api/integrations/provider/connection", { signal })),
    { everyMs: 15_000 },
  );
  return (
    <Page title="Overview">
      <Card title="Connection">
        <Loaded of={connection} what="the connection">
          {({ status, lastSyncAt }) => (
            <Facts
              of={[
                ["Status", status],
                ["Last sync", lastSyncAt !== undefined && <RelativeTime at={lastSyncAt} />],
              ]}
            />
          )}
        </Loaded>
      </Card>
    </Page>
  );
};
