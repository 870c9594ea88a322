/** The list of alerts for triage. */
import { useSignal } from "@preact/signals";
import { useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useCaller, useMay } from "../../access.ts";
import type { Alert } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Loaded, Loading, LoadMore } from "../../parts/states.tsx";
import { alertAddress, useFilters } from "../../words/address.ts";
import type { AlertChange } from "./change.ts";
import { AssignDialog, ResolveDialog } from "./dialogs.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { NoAlerts } from "./no-alerts.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { AlertTable } from "./table.tsx";
import { inTriageOrder, matches, statusChoiceOf } from "./triage.ts";
import { useAlerts } from "./use-alerts.ts";
import { useChanges } from "./use-changes.ts";
import { useCursor } from "./use-cursor.ts";

const PATH = "/console/alerts";

export const View = () => {
  const { userId } = useCaller();
  const mayManage = useMay("security:manage");
  const { route } = useLocation();
  const { filters: wanted, set } = useFilters();
  const choice = statusChoiceOf(wanted);
  const list = useAlerts(choice, wanted.assignee === "mine" ? userId : wanted.assignee);
  const { expected, send } = useChanges((change) => {
    if (list.value !== undefined && !list.isStale) list.show({ ...list.value, items: list.value.items.map(change) });
    list.reload();
  });
  const [asks, setAsks] = useState<{ action: "resolve" | "assign"; alerts: readonly Alert[] }>();
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const search = useRef<HTMLInputElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const statusOf = useFirstStatus(JSON.stringify([choice, wanted.assignee]));

  const items = list.value?.items ?? [];
  const shown = inTriageOrder(
    items.map((alert) => expected(alert)).filter((alert) => matches(alert, wanted, userId)),
    statusOf,
  );
  const cursor = useCursor(
    table,
    shown.map(({ id }) => id),
  );

  /** The selected alerts, or else the one that the keys point at. */
  const targets = (): Alert[] => {
    const chosen = shown.filter(({ id }) => selected.peek().has(id));
    return chosen.length > 0 ? chosen : shown.filter(({ id }) => id === cursor.id.peek());
  };
  const change = (alerts: readonly Alert[], what: AlertChange): void => {
    selected.value = new Set();
    setAsks(undefined);
    void send(alerts, what);
  };
  const resolve = (alerts: readonly Alert[]): void =>
    alerts.length > 1 ? setAsks({ action: "resolve", alerts }) : change(alerts, { action: "resolve" });
  const assign = (alerts: readonly Alert[]): void =>
    setAsks(alerts.length > 0 ? { action: "assign", alerts } : undefined);
  const on = {
    onAcknowledge: () => change(targets(), { action: "acknowledge" }),
    onResolve: () => resolve(targets()),
    onAssignToMe: () => change(targets(), { action: "assign", assignee: userId }),
    onAssign: () => assign(targets()),
  };
  useShortcuts({
    j: { does: "Next alert", run: () => cursor.move(1) },
    k: { does: "Previous alert", run: () => cursor.move(-1) },
    o: {
      does: "Open the alert, as Enter does",
      run: () => cursor.id.value !== undefined && route(alertAddress(cursor.id.value)),
    },
    ...(mayManage && {
      x: { does: "Select the alert", run: cursor.toggle },
      a: { does: "Acknowledge the selected alerts, or the alert", run: on.onAcknowledge },
      r: { does: "Resolve the selected alerts, or the alert", run: on.onResolve },
      i: { does: "Assign the selected alerts, or the alert, to me", run: on.onAssignToMe },
    }),
    f: { does: "Filter by a text", run: () => search.current?.focus() },
  });

  return (
    <Page
      title="Alerts"
      lead="What needs a person: the most serious first."
      actions={mayManage && <Button onClick={() => route(`${PATH}/raise`)}>Raise an alert</Button>}
    >
      <FilterBar wanted={wanted} search={search} onChoose={set} onDone={cursor.focus} />
      <SavedViews path={PATH} />
      <Loaded of={list} what="alerts">
        {({ hasMore, pages }) => (
          <>
            {shown.length > 0 ? (
              <>
                <SelectionBar alerts={shown} selected={selected} maySelect={mayManage} {...on} />
                <AlertTable
                  table={table}
                  alerts={shown}
                  cursor={cursor.id}
                  selected={selected}
                  maySelect={mayManage}
                  isBusy={list.isStale}
                />
              </>
            ) : list.isStale ? (
              <Loading what="alerts" />
            ) : (
              <NoAlerts wanted={wanted} hasMore={hasMore} onChoose={set} />
            )}
            {hasMore && (
              <LoadMore
                what="alerts"
                list={{
                  pages: Array.from({ length: pages }, () => []),
                  hasMore,
                  problem: undefined,
                  isLoading: list.isLoadingMore,
                  more: list.more,
                }}
              />
            )}
          </>
        )}
      </Loaded>
      {asks?.action === "resolve" && (
        <ResolveDialog
          alerts={asks.alerts}
          onConfirm={(cause) => change(asks.alerts, { action: "resolve", ...(cause !== "" && { cause }) })}
          onClose={() => setAsks(undefined)}
        />
      )}
      {asks?.action === "assign" && (
        <AssignDialog
          alerts={asks.alerts}
          onAssign={(assignee) => change(asks.alerts, { action: "assign", assignee })}
          onClose={() => setAsks(undefined)}
        />
      )}
    </Page>
  );
};

/** The status of each alert when the list first had it: rows keep their places while the user works on them. */
const useFirstStatus = (key: string): ((alert: Alert) => Alert["status"]) => {
  const seen = useMemo(() => new Map<string, Alert["status"]>(), [key]);
  return ({ id, status }) => {
    const first = seen.get(id) ?? status;
    seen.set(id, first);
    return first;
  };
};
