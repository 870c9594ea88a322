import { useCaller } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import { Page } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { SettingsForm } from "./settings-form.tsx";

export const SettingsView = () => {
  const settings = useResource("settings", (signal) =>
    answer(api.GET("/api/integrations/provider/settings", { signal })),
  );
  // The address may have changed since the sign-in.
  const me = useResource("me", (signal) => answer(api.GET("/api/integrations/provider/me", { signal })));
  const signedIn = useCaller();
  const { ipAddress } = me.value ?? signedIn;
  return (
    <Page title="Settings" lead="Who may reach this integration, and which records members and guests may read.">
      <Loaded of={settings} what="the settings">
        {(current) => <SettingsForm current={current} ipAddress={ipAddress} onRead={settings.show} />}
      </Loaded>
    </Page>
  );
};
