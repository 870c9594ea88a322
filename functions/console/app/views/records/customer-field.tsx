/** Chooses a customer by the beginning of the name or of the e-mail address, or by the id. */
import { useEffect, useId, useState } from "preact/hooks";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import { Field } from "../../parts/field.tsx";

const MOST_CHARACTERS = 128;
/** The API searches for at least this many. */
const LEAST_CHARACTERS = 2;
/** A search is sent when the user has stopped typing. */
const PAUSE_MS = 250;

type Found = { id: string; title: string };

/** What the browser puts into the field for a customer. Names repeat, ids do not. */
const optionOf = ({ id, title }: Found): string => `${title} · ${id}`;

const useFound = (text: string): readonly Found[] => {
  const [q, setQ] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useResource(`customers ${q}`, async (signal) => {
    if (q.length < LEAST_CHARACTERS) return [];
    const results = await answer(api.GET("/api/integrations/provider/search", { params: { query: { q } }, signal }));
    return results.filter(({ kind }) => kind === "customer");
  });
  return found.value ?? [];
};

type Props = { id: string; onChoose: (id: string | undefined) => void };

/** @param id of the customer of the address; empty for all customers. */
export const CustomerField = ({ id, onChoose }: Props) => {
  const [text, setText] = useState(id);
  const found = useFound(text === id ? "" : text);
  const options = useId();
  useEffect(() => setText(id), [id]);
  const idOf = (typed: string): string | undefined => {
    if (typed.trim() === "") return undefined;
    const known = found.find((one) => optionOf(one) === typed) ?? (found.length === 1 ? found[0] : undefined);
    return known?.id ?? typed.trim();
  };
  return (
    <Field label="Customer">
      {(control) => (
        <>
          <input
            {...control}
            type="search"
            list={options}
            placeholder="Name, e-mail or id"
            autocomplete="off"
            spellcheck={false}
            maxLength={MOST_CHARACTERS}
            value={text}
            onInput={({ currentTarget: { value } }) => {
              setText(value);
              if (value === "" || found.some((one) => optionOf(one) === value)) onChoose(idOf(value));
            }}
            onChange={({ currentTarget: { value } }) => onChoose(idOf(value))}
          />
          <datalist id={options}>
            {found.map((one) => (
              <option key={one.id} value={optionOf(one)} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
};
