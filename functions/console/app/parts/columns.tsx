/** Columns as SVG, with the same numbers as a table. */
import { useId } from "preact/hooks";

export type Column = {
  /** The column's name in the table and on hover. */
  name: string;
  /** The whole, and the part of it that is drawn in the warning colour. */
  total: number;
  bad: number;
};

type Props = {
  title: string;
  columns: readonly Column[];
  totalName: string;
  badName: string;
  format: (value: number) => string;
};

const GAP = 0.25;
/** So that a small value is visible. */
const LEAST = 0.02;

const percent = (value: number): string => `${(value * 100).toFixed(2)}%`;

/** The first and the last column have their names below. */
export const Columns = ({ title, columns, totalName, badName, format }: Props) => {
  const id = useId();
  const top = Math.max(1, ...columns.map(({ total }) => total));
  const width = 1 / Math.max(1, columns.length);
  const heightOf = (value: number): number => (value === 0 ? 0 : Math.max(LEAST, value / top));
  return (
    <figure class="columns">
      <figcaption id={id}>{title}</figcaption>
      <svg role="img" aria-labelledby={id} height="120" width="100%">
        <title>{title}</title>
        {columns.map(({ name, total, bad }, index) => {
          const x = percent((index + GAP / 2) * width);
          const w = percent(width * (1 - GAP));
          return (
            <g key={name}>
              <title>{`${name}: ${format(total)} ${totalName}, ${format(bad)} ${badName}`}</title>
              <rect class="target" x={percent(index * width)} y="0" width={percent(width)} height="100%" />
              <rect class="series" x={x} width={w} y={percent(1 - heightOf(total))} height={percent(heightOf(total))} />
              <rect class="bad" x={x} width={w} y={percent(1 - heightOf(bad))} height={percent(heightOf(bad))} />
            </g>
          );
        })}
      </svg>
      <div class="axis" aria-hidden="true">
        <span>{columns.at(0)?.name}</span>
        <span>{columns.at(-1)?.name}</span>
      </div>
      <details>
        <summary>Numbers</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">{totalName}</th>
              <th scope="col">{badName}</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, total, bad }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{format(total)}</td>
                <td>{format(bad)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
};
