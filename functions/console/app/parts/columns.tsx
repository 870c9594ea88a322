/** Stacked columns as SVG, with the same numbers as a table. */
import { useId } from "preact/hooks";
import { formatNumber } from "../words/format.ts";
import { axisEnd, GAP, MOST_VALUES } from "./chart-scale.ts";
import { Table } from "./table.tsx";

type Column = {
  /** The column's name in the table and on hover. */
  name: string;
  /** Its short name, below the column. */
  label: string;
  /** The whole, and the part of it at the bottom that is drawn in the warning colour. */
  total: number;
  bad: number;
  /** More numbers of the table. */
  more?: readonly string[];
};

/** `moreNames`: the heads of `more`. */
type Props = {
  title: string;
  columns: readonly Column[];
  totalName: string;
  badName: string;
  moreNames?: readonly string[] | undefined;
};

/** In CSS pixels. */
const PLOT_HEIGHT = 120;
const HEAD_HEIGHT = 16;
const LABEL_HEIGHT = 20;
/** So that a small value is visible. */
const LEAST_HEIGHT = 2;
const LABELS = 4;

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

type BarProps = { column: Column; index: number; count: number; scale: number };

const Bar = ({ column: { name, label, total, bad }, index, count, scale }: BarProps) => {
  const heightOf = (value: number) =>
    value === 0 ? 0 : Math.max(LEAST_HEIGHT, Math.round((value / scale) * PLOT_HEIGHT));
  const bar = (kind: string, value: number) => (
    <rect
      class={kind}
      x={percent((index + GAP / 2) / count)}
      width={percent((1 - GAP) / count)}
      y={HEAD_HEIGHT + PLOT_HEIGHT - heightOf(value)}
      height={heightOf(value)}
    />
  );
  const every = Math.max(1, Math.ceil(count / LABELS));
  // The columns with a label are in the middle, so that no label is cut off.
  const first = Math.floor(((count - 1) % every) / 2);
  const middle = percent((index + 0.5) / count);
  return (
    <g>
      <title>{name}</title>
      <rect class="target" x={percent(index / count)} y="0" width={percent(1 / count)} height="100%" />
      {bar("series", total)}
      {bar("bad", bad)}
      {count <= MOST_VALUES && total > 0 && (
        <text x={middle} y={HEAD_HEIGHT + PLOT_HEIGHT - heightOf(total) - 4}>
          {formatNumber(total)}
        </text>
      )}
      {index % every === first && (
        <text class="label" x={middle} y={HEAD_HEIGHT + PLOT_HEIGHT + LABEL_HEIGHT - 5}>
          {label}
        </text>
      )}
    </g>
  );
};

const Numbers = ({ columns, totalName, badName, moreNames = [] }: Omit<Props, "title">) => (
  <details>
    <summary>Numbers</summary>
    <Table
      rows={columns}
      keyOf={({ name }) => name}
      columns={[
        { head: "Time", isHead: true, cell: ({ name }) => name },
        { head: totalName, isNumber: true, cell: ({ total }) => formatNumber(total) },
        { head: badName, isNumber: true, cell: ({ bad }) => formatNumber(bad) },
        ...moreNames.map((head, index) => ({ head, isNumber: true, cell: ({ more }: Column) => more?.[index] })),
      ]}
    />
  </details>
);

export const Columns = ({ title, columns, totalName, badName, moreNames }: Props) => {
  const id = useId();
  const scale = axisEnd(columns.map(({ total }) => total));
  const say = ({ name, total, bad }: Column) =>
    `${name}: ${totalName} ${formatNumber(total)}, ${badName} ${formatNumber(bad)}`;
  return (
    <figure class="columns">
      <figcaption>
        <span id={id}>{title}</span>
        <span class="columns-legend">
          <span class="series">{totalName}</span> <span class="bad">{badName}</span>
        </span>
      </figcaption>
      <div class="columns-plot">
        <div class="columns-scale" aria-hidden="true">
          <span>{formatNumber(scale)}</span>
          <span>{formatNumber(scale / 2)}</span>
          <span>0</span>
        </div>
        <svg role="img" aria-labelledby={id} height={HEAD_HEIGHT + PLOT_HEIGHT + LABEL_HEIGHT} width="100%">
          <title>{title}</title>
          <line x1="0" x2="100%" y1={HEAD_HEIGHT} y2={HEAD_HEIGHT} />
          <line x1="0" x2="100%" y1={HEAD_HEIGHT + PLOT_HEIGHT / 2} y2={HEAD_HEIGHT + PLOT_HEIGHT / 2} />
          <line x1="0" x2="100%" y1={HEAD_HEIGHT + PLOT_HEIGHT} y2={HEAD_HEIGHT + PLOT_HEIGHT} />
          {columns.map((column, index) => (
            <Bar
              key={column.name}
              column={{ ...column, name: say(column) }}
              index={index}
              count={columns.length}
              scale={scale}
            />
          ))}
        </svg>
      </div>
      <Numbers columns={columns} totalName={totalName} badName={badName} moreNames={moreNames} />
    </figure>
  );
};
