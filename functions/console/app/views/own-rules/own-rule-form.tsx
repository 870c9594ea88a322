/** The form of an own rule, new or present. */
import { useMay } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import type { CustomRule, CustomRuleRequest } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/draft.ts";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { StaleNote } from "../../parts/stale-note.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { useTries } from "../../parts/use-tries.ts";
import { PreviewCard } from "../previews/preview-card.tsx";
import { draftOf, emptyDraft, type OwnRuleDraft, problemsOf, requestOf } from "./own-rule-draft.ts";
import { OwnRuleFields } from "./own-rule-fields.tsx";

type Props = {
  /** Undefined for a new one. */
  rule?: CustomRule;
  submit: string;
  /** @param revision of the rule when the changes began */
  save: (request: CustomRuleRequest, revision: number, key: string) => Promise<CustomRule>;
  onSaved: (rule: CustomRule) => void;
};

export const OwnRuleForm = ({ rule, submit, save, onSaved }: Props) => {
  const [stored, setDraft] = useDraft<OwnRuleDraft>(`own rule ${rule?.id ?? ""}`);
  const { isTried, tryWith, forgetTry, attributesOf } = useTries();
  const mayManage = useMay("security:manage");
  const draft = stored ?? (rule === undefined ? emptyDraft : draftOf(rule));
  const isStale = rule !== undefined && draft.revision !== rule.revision;
  const saving = useAction((edited: OwnRuleDraft, key) => save(requestOf(edited), edited.revision, key));

  const send = async (): Promise<void> => {
    if (!tryWith(problemsOf(draft))) return;
    const saved = await saving.run(draft);
    if (saved === undefined) return;
    forgetTry();
    setDraft(undefined);
    onSaved(saved);
  };
  return (
    <form {...attributesOf({ isBusy: saving.isRunning || isStale, send })}>
      <OwnRuleFields
        draft={draft}
        problems={isTried ? problemsOf(draft) : {}}
        onEdit={(changes) => {
          saving.clear();
          setDraft({ ...draft, ...changes });
        }}
      />
      <PreviewCard
        of={
          Object.keys(problemsOf(draft)).length > 0
            ? undefined
            : { customRule: { ...requestOf(draft), ...(rule !== undefined && { id: rule.id }) } }
        }
        version={JSON.stringify(draft)}
      />
      {stored !== undefined && isStale && (
        <StaleNote
          what="this rule since you began."
          onKeep={() => setDraft({ ...draft, revision: rule.revision })}
          onTake={() => setDraft(undefined)}
        />
      )}
      {saving.problem !== undefined && <ProblemNote problem={saving.problem} />}
      <div class="actions">
        <Button
          type="submit"
          kind="main"
          isRunning={saving.isRunning}
          disabled={!mayManage || isStale || (rule !== undefined && stored === undefined)}
        >
          {saving.isRunning ? "Saving …" : submit}
        </Button>
        <Button onClick={() => setDraft(undefined)} disabled={stored === undefined || saving.isRunning}>
          Discard changes
        </Button>
      </div>
      <LeaveGuard isDirty={stored !== undefined} what="Your changes of the rule" onLeave={() => setDraft(undefined)} />
    </form>
  );
};
