/** Search everywhere, from every view: the slash or Ctrl K opens it, Enter opens the first result, the arrows choose another. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { answer, api } from "../api/client.ts";
import { useResource } from "../api/resource.ts";
import type { SearchResult } from "../api/types.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { useShortcuts } from "../parts/shortcuts.ts";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { kindNames, MOST_CHARACTERS, queryOf, resultAddress } from "./result-address.ts";

/** Each search that shows records is recorded as a read of them, so it waits until the user stops typing. */
const PAUSE_MS = 350;

/** The text as it was when the user last paused. */
const useSettled = (text: string | undefined): string | undefined => {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
};

const useResults = (query: string | undefined) =>
  useResource<readonly SearchResult[] | null>(`search ${query ?? ""}`, async (signal) =>
    query === undefined
      ? null
      : answer(api.GET("/api/integrations/provider/search", { params: { query: { q: query } }, signal })),
  );

/** Moves the focus between the field and the results. */
const moveBy = (step: number, { currentTarget }: { currentTarget: HTMLElement }): void => {
  const stops = [...currentTarget.querySelectorAll<HTMLElement>("input, a")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.min(stops.length - 1, Math.max(0, at + step))]?.focus();
};

const SearchDialog = ({ onClose }: { onClose: () => void }) => {
  const { route } = useLocation();
  const [typed, setTyped] = useState("");
  const query = queryOf(typed);
  const settled = useSettled(query);
  const { value, problem, reload } = useResults(settled);
  /** Enter before the answer: the first result is opened when it is there. */
  const isAwaited = useRef(false);
  const results = settled === query ? (value ?? undefined) : undefined;
  const open = (result: SearchResult): void => {
    onClose();
    route(resultAddress(result));
  };
  useEffect(() => {
    if (!isAwaited.current || results === undefined) return;
    isAwaited.current = false;
    if (results[0] !== undefined) open(results[0]);
  }, [results]);

  return (
    <Dialog title="Search" onClose={onClose}>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (results?.[0] !== undefined) open(results[0]);
          else isAwaited.current = true;
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          moveBy(step, event);
        }}
      >
        <TextField
          label="Search for"
          hint="An id of anything, a user, an address, or how a customer's name or e-mail address begins."
          isId
          maxLength={MOST_CHARACTERS}
          value={typed}
          onType={(text) => {
            isAwaited.current = false;
            setTyped(text);
          }}
        />
        {problem !== undefined && settled === query && <ProblemNote problem={problem} onRetry={reload} />}
        {query !== undefined && results === undefined && problem === undefined && <Loading what="results" />}
        {results?.length === 0 && (
          <p role="status">
            Nothing is found. Ids and users must be whole. What your role may not see is not found either.
          </p>
        )}
        {results !== undefined && results.length > 0 && (
          <ul aria-label="Results" class="search-results">
            {results.map((result) => (
              <li key={`${result.kind} ${result.id}`}>
                <a href={resultAddress(result)} onClick={onClose}>
                  <b>{result.title}</b>
                  <span class="quiet">
                    {kindNames[result.kind]}
                    {result.title !== result.id && (
                      <>
                        {" "}
                        <code>{result.id}</code>
                      </>
                    )}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </form>
    </Dialog>
  );
};

export const Search = () => {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ "/": { does: "Search everywhere, as Ctrl K does", run: () => setOpen(true) } });
  useEffect(() => {
    // With a modifier it is no single key: it works in fields too, and cannot be turned off.
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <div class="search-button">
        <Button onClick={() => setOpen(true)}>
          Search <kbd>Ctrl K</kbd>
        </Button>
      </div>
      {isOpen && <SearchDialog onClose={() => setOpen(false)} />}
    </>
  );
};
