import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

type PageProps = { title: string; actions?: ComponentChildren; lead?: ComponentChildren; children: ComponentChildren };

/** A view: its heading, which takes the focus when the view opens, and its content. */
export const Page = ({ title, actions, lead, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Integration console`;
  }, [title]);
  useEffect(() => {
    // A deep link keeps the browser's own focus.
    if (document.activeElement !== document.body && document.activeElement !== null) heading.current?.focus();
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
export const Card = ({ title, actions, note, children }: CardProps) => (
  <section class="card">
    <div class="card-head">
      <h2>{title}</h2>
      {actions}
    </div>
    {note !== undefined && <p class="quiet">{note}</p>}
    {children}
  </section>
);

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
