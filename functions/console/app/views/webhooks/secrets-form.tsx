import { useRef, useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { Connection } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { notify } from "../../parts/notices.ts";
import { SecretFields, SecretsProblem } from "../connection/secret-field.tsx";

/** The secrets are only in their inputs: they are read when the form is sent, and then removed. */
export const SecretsForm = ({ onChanged }: { onChanged: (connection: Connection) => void }) => {
  const form = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState(1);
  const [isMissing, setMissing] = useState(false);
  const inputs = (): HTMLInputElement[] => [
    ...(form.current?.querySelectorAll<HTMLInputElement>("input[type=password]") ?? []),
  ];
  const secrets = (): string[] => inputs().flatMap(({ value }) => value.trim() || []);
  const change = useAction(() =>
    answer(api.PUT("/api/integrations/provider/connection/webhook-secrets", { body: { webhookSecrets: secrets() } })),
  );
  const submit = async (): Promise<void> => {
    setMissing(secrets().length === 0);
    if (secrets().length === 0) return inputs()[0]?.focus();
    const connection = await change.run(undefined);
    for (const input of inputs()) input.value = "";
    setFields(1);
    if (connection === undefined) return;
    notify("The new secrets verify deliveries from now on. The ones before stay valid for 24 hours.");
    onChanged(connection);
  };
  return (
    <form
      ref={form}
      class="webhooks-secrets"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (!change.isRunning) void submit();
      }}
    >
      <SecretFields
        count={fields}
        onAdd={() => setFields(fields + 1)}
        label="New signing secret"
        hint="The provider shows it at the endpoint. It is sent once, stored encrypted, and not shown again."
      />
      {isMissing && (
        <p class="field-error" role="alert">
          Enter at least one signing secret.
        </p>
      )}
      <SecretsProblem of={change.problem} />
      <Button kind="main" type="submit" isRunning={change.isRunning}>
        Replace the secrets
      </Button>
    </form>
  );
};
