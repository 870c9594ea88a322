/** A new destination. */
import { useLocation } from "preact-iso/router";
import { useAction } from "../../api/action.ts";
import { answer, api, once } from "../../api/client.ts";
import { useDraft } from "../../parts/draft.ts";
import { notify } from "../../parts/notices.ts";
import { Options } from "../../parts/options.tsx";
import { Page } from "../../parts/page.tsx";
import { destinationAddress, useFilters } from "../../words/address.ts";
import { timeZone } from "../../words/local-time.ts";
import { DestinationForm } from "./destination-form.tsx";
import { type DestinationType, isType, types } from "./destination-words.ts";
import { type Draft, emptyDraft, requestOf } from "./draft.ts";
import { handOver } from "./new-secret.ts";
import { API, LIST } from "./use-destinations.ts";

const typeOptions = (Object.keys(types) as DestinationType[]).map((value) => ({ value, ...types[value] }));

export const View = () => {
  const { filters, set } = useFilters();
  const { route } = useLocation();
  const [stored, setDraft] = useDraft<Draft>("new destination");
  const draft = stored ?? emptyDraft(timeZone);
  const type = isType(filters.type) ? filters.type : "webhook";
  const create = useAction(({ target }: { target: string; type: DestinationType; draft: Draft }, key) =>
    answer(api.POST(API, { params: once(key), body: requestOf(type, draft, target) })),
  );

  const submit = async (target: string): Promise<void> => {
    const created = await create.run({ target, type, draft });
    if (created === undefined) return;
    setDraft(undefined);
    if (created.secret !== undefined) handOver(created.id, created.secret);
    notify(
      created.status === "unconfirmed"
        ? `A message with a link was sent to ${created.target}.`
        : `${created.name} is added.`,
    );
    route(destinationAddress(created.id), true);
  };

  return (
    <Page title="Add a destination" lead={<a href={LIST}>All destinations</a>}>
      <DestinationForm
        type={type}
        draft={draft}
        onEdit={(changes) => {
          create.clear();
          setDraft({ ...draft, ...changes });
        }}
        isRunning={create.isRunning}
        problem={create.problem}
        submit="Add the destination"
        onSubmit={(target) => void submit(target)}
        onCancel={() => {
          setDraft(undefined);
          route(LIST);
        }}
      >
        <Options
          legend="Type"
          options={typeOptions}
          value={type}
          onChoose={(choice) => {
            create.clear();
            set({ type: choice }, { replace: true });
          }}
        />
      </DestinationForm>
    </Page>
  );
};
