/** Circuit breaker: what it does now, holding and resetting it, and its history. */
import { useEffect } from "preact/hooks";
import { useMay } from "../../access.ts";
import { api, page } from "../../api/client.ts";
import { usePagedList } from "../../api/paged-list.ts";
import { useCircuit } from "../../api/reads.ts";
import type { OrganizationStats } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { Loaded, WhyMissing } from "../../parts/states.tsx";
import { useFilters } from "../../words/address.ts";
import { ChangeDialog } from "./change-dialog.tsx";
import { History } from "./history.tsx";
import { type Action, actionOf } from "./hold.ts";
import { StateCard } from "./state-card.tsx";
import { stateOf } from "./state-words.ts";

/** An open circuit changes within half a minute. */
const EVERY_MS = 5_000;

const Actions = ({ circuit, onChoose }: { circuit: OrganizationStats; onChoose: (action: Action) => void }) => {
  const state = stateOf(circuit);
  const isCounted = circuit.totalRequests > 0 || circuit.failuresInWindow > 0;
  return (
    <>
      {state !== "forced_open" && (
        <Button kind="danger" onClick={() => onChoose("force_open")}>
          Stop the integration …
        </Button>
      )}
      {state !== "forced_closed" && <Button onClick={() => onChoose("force_close")}>Let requests through …</Button>}
      {(state !== "closed" || isCounted) && <Button onClick={() => onChoose("reset")}>Reset …</Button>}
    </>
  );
};

export const View = () => {
  const mayControl = useMay("breaker:control");
  const { filters, set } = useFilters();
  const circuit = useCircuit(EVERY_MS);
  const history = usePagedList("circuit history", (after, signal) =>
    page(api.GET("/api/integrations/provider/circuit-breaker/history", { params: { query: after }, signal })),
  );
  const action = mayControl ? actionOf(filters.action) : undefined;
  const close = () => set({ action: undefined }, { replace: true });

  // A transition appears in the history as soon as the state shows it.
  const stats = circuit.value?.organizationStats;
  const generation = stats && `${stateOf(stats)} ${stats.changedAt}`;
  useEffect(() => {
    if (generation !== undefined) history.reload();
  }, [generation]);

  return (
    <Page
      title="Circuit breaker"
      lead="It stops requests to the provider when they fail, and tests by itself whether the provider works again."
    >
      <Loaded of={circuit} what="the circuit breaker">
        {({ organizationStats }) => (
          <>
            <StateCard
              circuit={organizationStats}
              actions={
                mayControl && <Actions circuit={organizationStats} onChoose={(chosen) => set({ action: chosen })} />
              }
            />
            <WhyMissing needs="breaker:control" />
            <History list={history} circuit={organizationStats} />
          </>
        )}
      </Loaded>
      {action !== undefined && (
        <ChangeDialog
          key={action}
          action={action}
          onClose={close}
          onChanged={(changed) => {
            if (circuit.value !== undefined) circuit.show({ ...circuit.value, organizationStats: changed });
            close();
            history.reload();
          }}
        />
      )}
    </Page>
  );
};
