import { useRef, useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { Connection } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { notify } from "../../parts/notices.tsx";
import { AdviceNote } from "../connection/advice-note.tsx";
import { SecretField } from "../connection/secret-field.tsx";

/** The API accepts at most so many: shared/connection/connection-request.ts. */
const MOST_SECRETS = 4;

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
      {Array.from({ length: fields }, (_, index) => (
        <SecretField
          key={`secret ${index}`}
          name="webhookSecret"
          label={index === 0 ? "New signing secret" : `Signing secret ${index + 1}`}
          hint={
            index === 0 &&
            "The provider shows it at the endpoint. It is sent once, stored encrypted, and not shown again."
          }
        />
      ))}
      {fields < MOST_SECRETS && (
        <p>
          <Button kind="link" onClick={() => setFields(fields + 1)}>
            Add another secret
          </Button>
        </p>
      )}
      {isMissing && (
        <p class="field-error" role="alert">
          Enter at least one signing secret.
        </p>
      )}
      {change.problem !== undefined && (
        <>
          <AdviceNote problem={change.problem} />
          <p class="quiet">The console has forgotten what you entered. Enter it again to try again.</p>
        </>
      )}
      <Button kind="main" type="submit" isRunning={change.isRunning}>
        Replace the secrets
      </Button>
    </form>
  );
};
