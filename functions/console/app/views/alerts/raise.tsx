/** An alert by hand, about events or anything else. */
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useAction } from "../../api/action.ts";
import { answer, api, once } from "../../api/client.ts";
import type { Alert } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/draft.ts";
import { TextField } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.ts";
import { Options } from "../../parts/options.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { alertAddress, useFilters } from "../../words/address.ts";
import { eventIdsOf, idsProblem, type RaisedAlert, toRequest } from "./raised-alert.ts";

const LEVELS = [
  { value: "CRITICAL", name: "Critical", text: "Somebody must act now." },
  { value: "HIGH", name: "High", text: "Somebody must look at it today." },
  { value: "MEDIUM", name: "Medium", text: "It should be looked at this week." },
  { value: "LOW", name: "Low", text: "A note for the review." },
] as const satisfies readonly { value: Alert["level"]; name: string; text: string }[];

const MOST = { title: 256, message: 1_024 };

export const View = () => {
  const { filters } = useFilters();
  const { route } = useLocation();
  const given = eventIdsOf(filters.events ?? "");
  const [draft, setDraft] = useDraft<RaisedAlert>(`raise ${given.join(",")}`);
  const alert = draft ?? { title: "", level: "HIGH" as const, message: "", events: given.join("\n") };
  const [isMissing, setMissing] = useState(false);
  const raise = useAction(async (wanted: RaisedAlert, key: string) => {
    const path = "/api/integrations/provider/security/alert";
    return answer(api.POST(path, { params: once(key), body: toRequest(wanted) }));
  });
  const edit = (changes: Partial<RaisedAlert>): void => {
    setMissing(false);
    setDraft({ ...alert, ...changes });
  };
  const send = async (): Promise<void> => {
    const result = await raise.run(alert);
    if (result?.action !== "generate_alert") return;
    setDraft(undefined);
    notify("The alert is raised.");
    route(alertAddress(result.alert.id), true);
  };
  const wrongIds = idsProblem(alert.events);
  return (
    <Page
      title="Raise an alert"
      lead="For what you noticed yourself. It is listed, and sent on, like every other alert."
    >
      <Card title="The alert">
        <form
          class="alerts-raise"
          onSubmit={(event) => {
            event.preventDefault();
            const hasTitle = alert.title.trim() !== "";
            setMissing(!hasTitle);
            if (hasTitle && wrongIds === undefined) void send();
          }}
        >
          <TextField
            label="Title"
            hint="What happened, in one sentence."
            error={isMissing ? "Write what happened." : undefined}
            maxLength={MOST.title}
            value={alert.title}
            onType={(title) => edit({ title })}
          />
          <Options legend="Level" options={LEVELS} value={alert.level} onChoose={(level) => edit({ level })} />
          <TextField
            label="Message (optional)"
            hint="What others need to know. Secrets and card numbers are removed."
            rows={4}
            maxLength={MOST.message}
            value={alert.message}
            onType={(message) => edit({ message })}
          />
          <TextField
            label="Event ids (optional)"
            hint="The events that it is about, one in each line."
            error={wrongIds}
            class="alerts-ids"
            rows={Math.min(8, Math.max(2, alert.events.split("\n").length))}
            isId
            value={alert.events}
            onType={(events) => edit({ events })}
          />
          {raise.problem !== undefined && (
            <ProblemNote problem={raise.problem}>
              {raise.problem.isTemporary && (
                <p>What you wrote is still here. Send it again: the alert is raised once.</p>
              )}
            </ProblemNote>
          )}
          <div class="actions">
            <Button type="submit" kind="main" isRunning={raise.isRunning}>
              {raise.isRunning ? "Raising …" : "Raise the alert"}
            </Button>
            <Button
              onClick={() => {
                setDraft(undefined);
                route("/console/alerts");
              }}
            >
              Cancel
            </Button>
          </div>
        </form>
      </Card>
    </Page>
  );
};
