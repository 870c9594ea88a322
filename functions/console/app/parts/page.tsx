import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { currentPage } from "../words/address.ts";
import { Button } from "./button.tsx";

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

/** Sentences as a list. @param label names the list */
export const Bullets = ({ of, label }: { of: readonly string[]; label?: string }) => (
  <ul class="bullets" aria-label={label}>
    {of.map((text) => (
      <li key={text}>{text}</li>
    ))}
  </ul>
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

type Tab = { href: string; name: string; isCurrent: boolean };

/** Links between lists of one view. @param label what they choose: "Status". */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, name, isCurrent }) => (
      <a key={href} href={href} aria-current={currentPage(isCurrent)}>
        {name}
      </a>
    ))}
  </nav>
);

type PeriodSwitchProps<Period extends string> = {
  periods: Readonly<Record<Period, { label: string }>>;
  /** Undefined: none of them. */
  chosen: Period | undefined;
  onChoose: (period: Period) => void;
  /** More buttons. */
  children?: ComponentChildren;
};

/** A button for each period of a view. */
export const PeriodSwitch = <Period extends string>({
  periods,
  chosen,
  onChoose,
  children,
}: PeriodSwitchProps<Period>) => (
  <fieldset class="periods" aria-label="Period">
    {(Object.keys(periods) as Period[]).map((period) => (
      <Button key={period} aria-pressed={chosen === period} onClick={() => onChoose(period)}>
        {periods[period].label}
      </Button>
    ))}
    {children}
  </fieldset>
);
