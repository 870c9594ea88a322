import type { ComponentChildren } from "preact";
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { AdviceNote } from "./advice-note.tsx";

type Props = {
  name: string;
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  maxLength?: number;
};

/** `data-*`: password managers are asked not to offer to store it. */
const NOT_TO_STORE = { "data-1p-ignore": "", "data-lpignore": "true", "data-bwignore": "", "data-form-type": "other" };

/** An input for a secret. Nothing outside the input has its value, and neither browser nor console stores it. */
export const SecretField = ({ name, label, hint, error, maxLength = 512 }: Props) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <input
        {...control}
        {...NOT_TO_STORE}
        type="password"
        name={name}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={maxLength}
      />
    )}
  </Field>
);

/** The API accepts at most this many: shared/connection/connection-request.ts. */
const MOST_SECRETS = 4;

type SecretsProps = { count: number; onAdd: () => void; label: string; hint: string };

/** Fields for signing secrets, by the name `webhookSecret`. Several are valid at once while one is rolled. */
export const SecretFields = ({ count, onAdd, label, hint }: SecretsProps) => (
  <>
    {Array.from({ length: count }, (_, index) => (
      <SecretField
        key={`secret ${index}`}
        name="webhookSecret"
        label={index === 0 ? label : `Signing secret ${index + 1}`}
        hint={index === 0 && hint}
      />
    ))}
    {count < MOST_SECRETS && (
      <p>
        <Button kind="link" onClick={onAdd}>
          Add another secret
        </Button>
      </p>
    )}
  </>
);

/** Why secrets were not accepted. */
export const SecretsProblem = ({ of }: { of: Problem | undefined }) =>
  of === undefined ? null : (
    <>
      <AdviceNote problem={of} />
      <p class="quiet">The console has forgotten what you entered. Enter it again to try again.</p>
    </>
  );
