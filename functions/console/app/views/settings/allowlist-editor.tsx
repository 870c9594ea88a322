import type { RefObject } from "preact";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Card } from "../../parts/page.tsx";
import { linesOf } from "../../words/lines.ts";
import { containsAddress, type LineNote, MOST_NETWORKS, networkOfAddress } from "./networks.ts";

const LEAST_ROWS = 5;
const MOST_ROWS = 20;

type Props = {
  editor: RefObject<HTMLTextAreaElement | null>;
  text: string;
  notes: readonly LineNote[];
  ipAddress: string;
  /** The list is complete and lacks the user's own address. */
  isLockedOut: boolean;
  onChange: (text: string) => void;
};

const errorOf = (text: string, notes: readonly LineNote[]): string | undefined => {
  const count = linesOf(text).length;
  if (count > MOST_NETWORKS) return `The list has ${count} networks. At most ${MOST_NETWORKS} are possible.`;
  const errors = notes.filter(({ isError }) => isError).length;
  if (errors === 0) return undefined;
  return errors === 1 ? "One line cannot be saved." : `${errors} lines cannot be saved.`;
};

export const AllowlistEditor = ({ editor, text, notes, ipAddress, isLockedOut, onChange }: Props) => {
  const own = networkOfAddress(ipAddress);
  const isEmpty = linesOf(text).length === 0;
  const isIn = containsAddress(linesOf(text), ipAddress);
  const addOwn = (network: string): void => {
    onChange(text.trim() === "" ? network : `${text.trimEnd()}\n${network}`);
    editor.current?.focus();
  };
  return (
    <Card
      title="IP allowlist"
      note="The networks that may call this integration: with the console, with the API, and with links to reports."
    >
      <TextField
        label="Allowed networks, one in each line"
        hint="IPv4 or IPv6 with a prefix length, such as 192.0.2.0/24 or 2001:db8::/32."
        error={errorOf(text, notes)}
        field={editor}
        class="settings-networks"
        rows={Math.min(MOST_ROWS, Math.max(LEAST_ROWS, text.split("\n").length + 1))}
        isId
        value={text}
        onType={onChange}
      />
      {notes.length > 0 && (
        <ul class="settings-notes" aria-label="Notes on lines">
          {notes.map(({ line, text: typed, isError, note }) => (
            <li key={line} class={isError ? "field-error" : "hint"}>
              Line {line}, <code>{typed}</code>: {note}
            </li>
          ))}
        </ul>
      )}
      <p class="settings-own">
        <span>
          Your address is <code>{ipAddress}</code>.{isIn && " It is in the list."}
        </span>
        {!isIn && own !== undefined && <Button onClick={() => addOwn(own)}>Add my address</Button>}
      </p>
      {isEmpty && <p class="quiet">The list is empty, so every address may call.</p>}
      {isLockedOut && (
        <div class="problem serious warn" role="status">
          <p>
            <b>This list locks you out.</b> None of its networks contains your address. The service would refuse it.
          </p>
        </div>
      )}
    </Card>
  );
};
