type Tab = { href: string; name: string; isCurrent: boolean };

/** Links between lists of one view. @param label what they choose: "Status". */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, name, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? "page" : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
