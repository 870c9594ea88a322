import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

type PageProps = { title: string; actions?: ComponentChildren; lead?: ComponentChildren; children: ComponentChildren };

/** The browser keeps its own focus on the first view, which may be a deep link. */
let isFirst = true;

/** Names the tab. @param isShown false while another view is in front. */
export const useTitle = (title: string, isShown = true): void =>
  useEffect(() => {
    if (isShown) document.title = `${title} · Integration console`;
  }, [title, isShown]);

/** A view: its heading, which takes the focus when the view opens, and its content. */
export const Page = ({ title, actions, lead, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
};

type CardProps = { title: string; actions?: ComponentChildren; note?: ComponentChildren; children: ComponentChildren };

/** A part of a view with its own heading. */
export const Card = ({ title, actions, note, children }: CardProps) => {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {note !== undefined && <p class="quiet">{note}</p>}
      {children}
    </section>
  );
};

/** Names with their values. An undefined value is left out. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {of.map(
      ([name, value]) =>
        value !== undefined &&
        value !== null && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
);
