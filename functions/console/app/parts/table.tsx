/** Tables. With the class `rows`, rows become blocks on a small screen, and each cell names its column there (parts.css). */
import type { ComponentChildren } from "preact";

type Head = {
  head: string;
  isNumber?: boolean;
  /** Only screen readers have the head, and cells do not name it. */
  isHidden?: boolean;
  /** Small screens leave the column out. */
  isExtra?: boolean;
  class?: string;
};

const classOf = ({ class: own, isNumber, isExtra }: Head): string | undefined =>
  own ?? ([isNumber && "number", isExtra && "extra"].filter(Boolean).join(" ") || undefined);

export type Column<Row> = Head & {
  cell: (row: Row) => ComponentChildren;
  /** The cells name their rows. */
  isHead?: boolean;
  /** The class of a row's cell. */
  cellClass?: (row: Row) => string;
};

type HeadProps = { of: readonly Head[]; class?: string; rowClass?: string };

/** The heads of the columns, for tables that draw their rows themselves. */
export const TableHead = ({ of, class: own, rowClass }: HeadProps) => (
  <thead class={own}>
    <tr class={rowClass}>
      {of.map((column) => (
        <th key={column.head} scope="col" class={classOf(column)}>
          {column.isHidden ? <span class="hidden-text">{column.head}</span> : column.head}
        </th>
      ))}
    </tr>
  </thead>
);

type Props<Row> = {
  label?: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  columns: readonly Column<Row>[];
  class?: string;
  rowClass?: (row: Row) => string | undefined;
  /** The rows are about to be replaced. */
  isBusy?: boolean;
};

export const Table = <Row,>({ label, rows, keyOf, columns, class: own, rowClass, isBusy }: Props<Row>) => (
  <table class={own} aria-label={label} aria-busy={isBusy}>
    <TableHead of={columns} />
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)} class={rowClass?.(row)}>
          {columns.map((column) => {
            const { head, cell, isHead, isHidden, cellClass } = column;
            return isHead ? (
              <th key={head} scope="row">
                {cell(row)}
              </th>
            ) : (
              <td key={head} data-head={isHidden ? undefined : head} class={cellClass?.(row) ?? classOf(column)}>
                {cell(row)}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  </table>
);
