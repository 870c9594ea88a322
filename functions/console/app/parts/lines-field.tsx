/** Fields for lists of identifiers, one in each line. */
import { TextField } from "./field.tsx";

type Props = {
  label: string;
  isOptional?: boolean;
  hint?: string;
  error: string | undefined;
  rows: number;
  value: string;
  onType: (text: string) => void;
};

export const LinesField = ({ label, isOptional = false, ...rest }: Props) => (
  <TextField label={`${label}, one in each line${isOptional ? " (optional)" : ""}`} isId {...rest} />
);

export const NetworksField = (props: Omit<Props, "hint">) => (
  <LinesField hint="IPv4 or IPv6 with a prefix length, such as 192.0.2.0/24." {...props} />
);

export const UsersField = (props: Omit<Props, "hint">) => (
  <LinesField hint="Their ids, as events have them." {...props} />
);
