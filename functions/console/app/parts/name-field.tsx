import { TextField } from "./field.tsx";

const MOST_NAME_CHARACTERS = 100;

type Props = { hint: string; error: string | undefined; name: string; onName: (name: string) => void };

/** The name that a user gives to something. */
export const NameField = ({ hint, error, name, onName }: Props) => (
  <TextField label="Name" hint={hint} error={error} maxLength={MOST_NAME_CHARACTERS} value={name} onType={onName} />
);
