/** A new mute. The address may say what it is about: the rule, the subject and the level of an alert. */
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useAction } from "../../api/action.ts";
import { answer, api, once } from "../../api/client.ts";
import type { MuteRequest } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/draft.ts";
import { notify } from "../../parts/notices.ts";
import { Page } from "../../parts/page.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { useTries } from "../../parts/use-tries.ts";
import { useFilters } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { timeZone } from "../../words/local-time.ts";
import { PreviewCard, type Previewed } from "../previews/preview-card.tsx";
import { draftFrom, type MuteDraft, problemsOf, requestOf } from "./mute-draft.ts";
import { MuteFields } from "./mute-fields.tsx";
import { MUTES_PATH, muteAddress } from "./mute-words.ts";
import { API } from "./use-mutes.ts";

/** A mute can be previewed before it has a reason. */
const previewOf = (draft: MuteDraft, now: number): Previewed | undefined => {
  const { reason, ...others } = problemsOf(draft, now);
  if (Object.keys(others).length > 0) return undefined;
  const request = requestOf(draft, now);
  return { mute: reason === undefined ? request : { ...request, reason: "Preview" } };
};

export const View = () => {
  const { filters } = useFilters();
  const { route } = useLocation();
  const { rule, subject, level } = filters;
  const [stored, setDraft] = useDraft<MuteDraft>(`mute ${JSON.stringify([rule, subject, level])}`);
  const { isTried, tryWith, attributesOf } = useTries();
  const draft = stored ?? draftFrom({ rule, subject, level }, timeZone);
  const problems = isTried ? problemsOf(draft, serviceNow()) : {};
  const create = useAction((body: MuteRequest, key) => answer(api.POST(API, { params: once(key), body })));
  /** A repetition must be the same request: its end does not move with the clock. */
  const sent = useRef<{ of: MuteDraft; request: MuteRequest }>(undefined);

  const submit = async (): Promise<void> => {
    if (!tryWith(problemsOf(draft, serviceNow()))) return;
    if (sent.current?.of !== draft) sent.current = { of: draft, request: requestOf(draft, serviceNow()) };
    const created = await create.run(sent.current.request);
    if (created === undefined) return;
    setDraft(undefined);
    notify("The alerts are muted.");
    route(muteAddress(created.id), true);
  };

  return (
    <Page title="Mute alerts" lead="Muted alerts are raised and listed as ever. Only their notifications wait.">
      <form {...attributesOf({ isBusy: create.isRunning, send: submit })}>
        <MuteFields
          draft={draft}
          problems={problems}
          onEdit={(changes) => {
            create.clear();
            setDraft({ ...draft, ...changes });
          }}
        />
        <PreviewCard of={previewOf(draft, serviceNow())} version={JSON.stringify(draft)} />
        {create.problem !== undefined && <ProblemNote problem={create.problem} />}
        <div class="actions">
          <Button type="submit" kind="main" isRunning={create.isRunning}>
            {create.isRunning ? "Muting …" : "Mute"}
          </Button>
          <Button
            onClick={() => {
              setDraft(undefined);
              route(MUTES_PATH);
            }}
          >
            Cancel
          </Button>
        </div>
      </form>
    </Page>
  );
};
