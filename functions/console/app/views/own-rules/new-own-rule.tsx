import { useLocation } from "preact-iso/router";
import { answer, api, once } from "../../api/client.ts";
import { notify } from "../../parts/notices.ts";
import { Page } from "../../parts/page.tsx";
import { OwnRuleForm } from "./own-rule-form.tsx";
import { OWN_RULES_PATH, ownRuleAddress } from "./own-rule-words.ts";
import { API } from "./use-own-rules.ts";

export const View = () => {
  const { route } = useLocation();
  return (
    <Page title="New rule" lead={<a href={OWN_RULES_PATH}>All own rules</a>}>
      <OwnRuleForm
        submit="Make the rule"
        save={(body, _, key) => answer(api.POST(API, { params: once(key), body }))}
        onSaved={({ id, name }) => {
          notify(`${name}: the rule counts from this hour on.`);
          route(ownRuleAddress(id), true);
        }}
      />
    </Page>
  );
};
