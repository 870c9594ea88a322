/** The menu: the views that the user may open, who is signed in, and help. */

import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useCaller } from "./access.ts";
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { activeShortcuts, areKeysOn, turnKeys, useShortcuts } from "./parts/shortcuts.ts";
import { Search } from "./search/search.tsx";
import { signOut } from "./session/session.ts";
import { groups, views } from "./views.ts";
import { currentPage, isWithin } from "./words/address.ts";

/** The keys of the open view. */
const Keys = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <label class="check">
      <input
        type="checkbox"
        checked={areKeysOn.value}
        onChange={({ currentTarget }) => turnKeys(currentTarget.checked)}
      />
      Use single keys in this browser
    </label>
    <dl class="facts">
      {activeShortcuts.value
        .flatMap((shortcuts) => Object.entries(shortcuts))
        .map(([key, { does }]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
    </dl>
    <div class="dialog-actions">
      <Button kind="main" onClick={onClose}>
        Close
      </Button>
    </div>
  </Dialog>
);

export const Menu = () => {
  const { path } = useLocation();
  const { userId, organizationId, role, permissions } = useCaller();
  const [isOpen, setOpen] = useState(false);
  const [showsKeys, setShowsKeys] = useState(false);
  useShortcuts({ "?": { does: "Show the keys of this page", run: () => setShowsKeys(true) } });
  // On a small screen, the menu closes when a view opens.
  useEffect(() => setOpen(false), [path]);
  return (
    <header class="side">
      <div class="side-content">
        <div class="side-head">
          <a class="brand" href="/console">
            Integration console
          </a>
          <button
            type="button"
            class="button plain menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setOpen(!isOpen)}
          >
            Menu
          </button>
        </div>
        <Search />
        <div id="menu" class={isOpen ? "menu open" : "menu"}>
          <nav aria-label="Views">
            {groups.map((group) => {
              const shown = views
                .filter((view) => view.group === group && permissions.includes(view.needs))
                // Without the optional part.
                .map(({ path: pattern, title }) => ({ title, target: pattern.replace(/\/:.*$/, "") }));
              return (
                shown.length > 0 && (
                  <div key={group}>
                    <p class="menu-group" id={`group-${group}`}>
                      {group}
                    </p>
                    <ul aria-labelledby={`group-${group}`}>
                      {shown.map(({ target, title }) => (
                        <li key={target}>
                          <a href={target} aria-current={currentPage(isWithin(path, target))}>
                            {title}
                          </a>
                        </li>
                      ))}
                    </ul>
                  </div>
                )
              );
            })}
          </nav>
          <div class="who">
            <p>
              <b>{userId}</b>
              <br />
              {role} of {organizationId}
            </p>
            <Button onClick={() => void signOut()}>Sign out</Button>
            <Button kind="link" onClick={() => setShowsKeys(true)}>
              Keys
            </Button>
          </div>
        </div>
      </div>
      {showsKeys && <Keys onClose={() => setShowsKeys(false)} />}
    </header>
  );
};
