export type Column = {
  /** The column's name in the table and on hover. */
  name: string;
  /** Its short name, below the column. */
  label: string;
  /** The whole, and the part of it that is drawn in the warning colour. */
  total: number;
  bad: number;
};
