/** The saved views of a list, and how to save the present one with its filters. */
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { addressOf, currentPage } from "../words/address.ts";
import { keepViews, readViews, type SavedView, withView } from "../words/saved-views.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { TextField } from "./field.tsx";

type Props = {
  /** The list, such as `/console/alerts`. */
  path: string;
  /** Parameters of the address that say what is open, and not what the list shows. */
  without?: readonly string[];
};

/** A view without filters is the list itself, so only views with filters are saved. */
export const SavedViews = ({ path, without = [] }: Props) => {
  const { query } = useLocation();
  const [views, setViews] = useState(() => readViews(path));
  const [name, setName] = useState("");
  const address = addressOf(path, { ...query, ...Object.fromEntries(without.map((name) => [name, undefined])) });
  const change = (next: readonly SavedView[]): void => {
    keepViews(path, next);
    setViews(next);
  };
  const save = (): void => {
    change(withView(views, { name, address }));
    setName("");
  };
  const hasFilters = address !== path;
  if (views.length === 0 && !hasFilters) return null;
  return (
    <details class="saved-views">
      <summary>{views.length === 0 ? "Save this view" : `Saved views (${views.length})`}</summary>
      <ul aria-label="Saved views">
        {views.map((view) => (
          <li key={view.name}>
            <a href={view.address} aria-current={currentPage(view.address === address)}>
              {view.name}
            </a>{" "}
            <CopyButton text={location.origin + view.address} what={`The link to ${view.name}`} />
            <Button
              kind="link"
              aria-label={`Forget ${view.name}`}
              onClick={() => change(views.filter((one) => one !== view))}
            >
              Forget
            </Button>
          </li>
        ))}
      </ul>
      {hasFilters ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <TextField
            label="Name of this view"
            hint="Kept in this browser. Its link has the filters, so colleagues can open it too."
            value={name}
            onType={setName}
          />
          <Button type="submit">Save this view</Button>
        </form>
      ) : (
        <p class="quiet">Choose filters to save another view.</p>
      )}
    </details>
  );
};
