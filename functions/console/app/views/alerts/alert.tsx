/** One alert: what it means, what it rests on, what was done about it. */
import { useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { useCaller, useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { AlertWithHistory } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Choice } from "../../parts/field.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty, Loading, ProblemNote } from "../../parts/states.tsx";
import { givenOf, isMutable } from "../mutes/mute-draft.ts";
import { newMuteAddress } from "../mutes/mute-words.ts";
import { AlertEvents } from "./alert-events.tsx";
import { AlertEvidence, AlertFacts, Meaning } from "./alert-facts.tsx";
import { AlertHistory } from "./alert-history.tsx";
import type { AlertChange } from "./change.ts";
import { CommentForm } from "./comment-form.tsx";
import { AssignDialog } from "./dialogs.tsx";
import { MutedBy } from "./muted-by.tsx";
import { StoryCard } from "./story-card.tsx";
import { useChanges } from "./use-changes.ts";
import { noteOpened } from "./use-cursor.ts";
import { type Cause, causeOptions } from "./words.ts";

const REFRESH_MS = 15_000;
const LIST = "/console/alerts";
/** An alert keeps the ids of at most this many events. */
const MOST_EVENT_IDS = 100;

export const View = () => {
  const { id = "" } = useRoute().params;
  const { retentionDays } = useCaller().deployment;
  noteOpened(id);
  const resource = useResource(
    `alert ${id}`,
    (signal) => answer(api.GET("/api/integrations/provider/security/alert/{id}", { params: { path: { id } }, signal })),
    { everyMs: REFRESH_MS },
  );
  const { value, problem, reload } = resource;
  const { expected, send } = useChanges((change) => {
    if (resource.value !== undefined) resource.show(change(resource.value));
    reload();
  });
  if (value === undefined || problem?.status === 404)
    return (
      <Page title="Alert" actions={<a href={LIST}>All alerts</a>}>
        {problem === undefined ? (
          <Loading what="the alert" />
        ) : problem.status === 404 ? (
          <Empty title="There is no such alert">
            <p>It may have expired: alerts are kept for {retentionDays} days. Or the address is mistyped.</p>
          </Empty>
        ) : (
          <ProblemNote problem={problem} onRetry={reload} />
        )}
      </Page>
    );
  return (
    <Shown alert={expected(value)} onChange={(change) => void send([value], change)} onCommented={reload}>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
    </Shown>
  );
};

type ShownProps = {
  alert: AlertWithHistory;
  onChange: (change: AlertChange) => void;
  onCommented: () => void;
  children: preact.ComponentChildren;
};

const Shown = ({ alert, onChange, onCommented, children }: ShownProps) => {
  const { userId } = useCaller();
  const mayManage = useMay("security:manage");
  const { route } = useLocation();
  const [cause, setCause] = useState<Cause | "">("");
  const [asksAssignee, setAsksAssignee] = useState(false);
  const comment = useRef<HTMLTextAreaElement>(null);
  const isOpen = alert.status === "open";
  const isResolved = alert.status === "resolved";
  const acknowledge = (): void => onChange({ action: "acknowledge" });
  const resolve = (): void => onChange({ action: "resolve", ...(cause !== "" && { cause }) });
  const assign = (assignee: string | null): void => onChange({ action: "assign", assignee });
  useShortcuts({
    u: { does: "Back to the alerts", run: () => route(LIST) },
    ...(mayManage && {
      a: { does: "Acknowledge", run: acknowledge },
      r: { does: "Resolve", run: resolve },
      i: { does: "Assign to me", run: () => assign(userId) },
      c: { does: "Comment", run: () => comment.current?.focus() },
    }),
  });
  return (
    <Page
      title={alert.title}
      lead={<a href={LIST}>All alerts</a>}
      actions={
        <>
          {mayManage && isOpen && (
            <Button kind="main" onClick={acknowledge}>
              Acknowledge
            </Button>
          )}
          {mayManage && !isResolved && <Button onClick={resolve}>Resolve</Button>}
          {mayManage && isResolved && <Button onClick={() => onChange({ action: "reopen" })}>Open again</Button>}
          {mayManage && isMutable(alert.rule) && alert.drill !== true && (
            <Button onClick={() => route(newMuteAddress(givenOf(alert)))}>Mute …</Button>
          )}
          <CopyButton text={location.origin + location.pathname} what="The link to this alert" label="Copy link" />
        </>
      }
    >
      {children}
      <div class="alerts-detail">
        <div>
          {alert.mutedBy !== undefined && <MutedBy ids={alert.mutedBy} />}
          <Meaning alert={alert} />
          <AlertEvidence alert={alert} />
          <StoryCard alert={alert} />
          <AlertEvents ids={alert.eventIds} mostIds={MOST_EVENT_IDS} />
        </div>
        <div>
          <Card title="The alert">
            <AlertFacts alert={alert} />
            {mayManage && !isResolved && (
              <Choice label="Resolve as" value={cause} options={causeOptions} onChoose={setCause} />
            )}
            {mayManage && !isResolved && (
              <div class="actions alerts-assign">
                {alert.assignee !== userId && <Button onClick={() => assign(userId)}>Assign to me</Button>}
                <Button onClick={() => setAsksAssignee(true)}>Assign to another user …</Button>
                {alert.assignee !== undefined && <Button onClick={() => assign(null)}>Take the assignment away</Button>}
              </div>
            )}
          </Card>
          <Card title="History">
            <AlertHistory entries={alert.history} />
            {mayManage && <CommentForm alertId={alert.id} input={comment} onCommented={onCommented} />}
          </Card>
        </div>
      </div>
      {asksAssignee && (
        <AssignDialog
          alerts={[alert]}
          onAssign={(assignee) => {
            setAsksAssignee(false);
            assign(assignee);
          }}
          onClose={() => setAsksAssignee(false)}
        />
      )}
    </Page>
  );
};
