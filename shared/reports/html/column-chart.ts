/**
 * Stacked columns as SVG, with the same numbers as a table. Positions are percentages, so that a chart fits any width.
 * Texts are HTML beside the SVG, so that they keep their size. Colours differ in lightness and each part has a label beside
 * the last column, so that a grey print can be read. Without any value, a sentence stands in place of empty axes.
 */

import { type Content, html, type Markup } from "../../runtime/markup.ts";
import { percent } from "./format.ts";
import { nothing, type RiskTone } from "./parts.ts";

export type ChartPart = {
  name: string;
  /** The colour: a class of the style sheet. */
  tone: "series" | "bad" | RiskTone;
};

export type Column = {
  /** The text under the column; with many columns, most have none. */
  label?: string;
  /** The column's name in the table. */
  name: string;
  /** A value for each part, from the bottom up. */
  values: readonly number[];
  /** Whether it belongs to the report's period; beside columns that do not, it is shaded. */
  isMarked?: boolean;
};

export type ColumnChart = {
  /** Unique on its page. */
  id: string;
  title: string;
  /** What the shade behind some columns means. */
  note?: string;
  /** A sentence for screen readers. */
  summary: string;
  /** The sentence in place of the chart if all values are 0. */
  nothing: string;
  parts: readonly ChartPart[];
  columns: readonly Column[];
  format: (value: number) => string;
  /** The unit of the axis; default: 1. */
  unit?: number;
  /** The heading of the column names in the table. */
  columnName: string;
};

/** The space between columns, as a share of their width. */
export const GAP = 0.28;
/** The minimum height of a part, as a share of the chart's height, so that small values are visible. */
const LEAST_HEIGHT = 0.015;
/** The distance of the parts' labels, as a share of the chart's height. */
const LABEL_HEIGHT = 0.125;
/** Up to this many columns have their value above them. */
export const MOST_VALUES = 7;
/** A table with more rows is set in columns on paper. */
const LONG_TABLE = 12;

/** An axis ends at one of these, times a power of ten. */
const STEPS = [1, 2, 4, 5, 10];

/** The end of an axis from 0 for some values: a round number whose half is round too. */
export const axisEnd = (values: readonly number[]): number => {
  const greatest = Math.max(0, ...values);
  if (greatest <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(greatest));
  return (STEPS.find((step) => step * power >= greatest) ?? 10) * power;
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const isBand = ({ isMarked }: Column, columns: readonly Column[]): boolean =>
  isMarked === true && columns.some((column) => column.isMarked === false);

const columnParts = ({ parts, columns, format }: ColumnChart, end: number): Content => {
  const width = 1 / columns.length;
  return columns.map((column, index) => {
    const { name, values } = column;
    let top = 1;
    const rects = parts.map((part, at) => {
      const value = values[at] ?? 0;
      if (value <= 0) return undefined;
      const height = Math.max(LEAST_HEIGHT, value / end);
      top -= height;
      return html`<rect class="${part.tone}" x="${percent((index + GAP / 2) * width)}" y="${percent(Math.max(0, top))}" width="${percent(width * (1 - GAP))}" height="${percent(height)}"/>`;
    });
    const described = parts.map((part, at) => `${part.name} ${format(values[at] ?? 0)}`).join(", ");
    return html`<g class="column"><title>${name}: ${described}</title><rect class="${isBand(column, columns) ? "band" : "target"}" x="${percent(index * width)}" y="0" width="${percent(width)}" height="100%"/>${rects}</g>`;
  });
};

/** The total above each column that has one. */
const columnValues = ({ columns, format }: ColumnChart, end: number): Content =>
  columns.length <= MOST_VALUES &&
  columns.map(({ values }, index) => {
    const total = sumOf(values);
    return (
      total > 0 &&
      html`<span class="value" style="left:${percent((index + 0.5) / columns.length)};bottom:${percent(total / end)}">${format(total)}</span>`
    );
  });

/**
 * The names of the parts, each beside its part of the last column or above the label below it, with the part's sum in the
 * marked columns.
 */
const partLabels = ({ parts, columns, format }: ColumnChart, end: number): Content => {
  if (parts.length === 1) return undefined;
  const last = columns.at(-1)?.values ?? [];
  const marked = columns.filter(({ isMarked }) => isMarked !== false);
  let base = 0;
  let free = 0;
  const labels = parts.map(({ name, tone }, at) => {
    const height = (last[at] ?? 0) / end;
    const from = Math.max(free, base + height / 2 - LABEL_HEIGHT / 2);
    base += height;
    free = from + LABEL_HEIGHT;
    const sum = sumOf(marked.map(({ values }) => values[at] ?? 0));
    return html`<span style="bottom:${percent(from)}"><i class="${tone}"></i>${name} <b>${format(sum)}</b></span>`;
  });
  return html`<p class="parts">${labels.reverse()}</p>`;
};

const numbers = ({ title, parts, columns, format, columnName }: ColumnChart): Markup =>
  html`<details class="numbers${columns.length > LONG_TABLE && " long"}"><summary>Numbers</summary><div><table><caption>${title}</caption>
<thead><tr><th scope="col">${columnName}</th>${parts.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
<tbody>${columns.map(
    ({ name, values }) =>
      html`<tr><th scope="row">${name}</th>${parts.map((_, at) => html`<td class="number">${format(values[at] ?? 0)}</td>`)}</tr>`,
  )}</tbody></table></div></details>`;

const plot = (chart: ColumnChart): Markup => {
  const { id, title, summary, columns, format, unit = 1 } = chart;
  const end = unit * axisEnd(columns.map(({ values }) => sumOf(values) / unit));
  return html`<div class="plot">
<div class="axis" aria-hidden="true"><span>${format(end)}</span><span>${format(end / 2)}</span><span>${format(0)}</span></div>
<div class="area"><svg role="img" aria-labelledby="${id}-title ${id}-summary"><title id="${id}-title">${title}</title><desc id="${id}-summary">${summary}</desc>
<line class="grid" x1="0" x2="100%" y1="0" y2="0"/><line class="grid" x1="0" x2="100%" y1="50%" y2="50%"/>
${columnParts(chart, end)}
<line class="base" x1="0" x2="100%" y1="100%" y2="100%"/></svg>${columnValues(chart, end)}</div>
${partLabels(chart, end)}
<div class="labels" aria-hidden="true">${columns.map((column, index) => column.label !== undefined && html`<span class="${isBand(column, columns) ? "marked" : "other"}" style="left:${percent((index + 0.5) / columns.length)}">${column.label}</span>`)}</div>
</div>
${numbers(chart)}`;
};

/** A chart with its title, labels and table. */
export const columnChart = (chart: ColumnChart): Markup => {
  const isEmpty = chart.columns.every(({ values }) => sumOf(values) === 0);
  return html`<figure>
<figcaption>${chart.title}${!isEmpty && chart.note !== undefined && html`<small>${chart.note}</small>`}</figcaption>
${isEmpty ? nothing(chart.nothing) : plot(chart)}
</figure>`;
};
