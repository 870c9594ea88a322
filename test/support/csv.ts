/** Reads CSV as RFC 4180 has it, without the product's writer. */

/** The cells of each row. @param delimiter as the program that opens the file has it. */
export const parseCsv = (text: string, delimiter = ","): string[][] => {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text.charAt(at + 1) === '"') cell += text.charAt(++at);
      else isQuoted = false;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === delimiter) {
      row.push(cell);
      cell = "";
    } else if (character === "\r" && text.charAt(at + 1) === "\n") {
      rows.push([...row, cell]);
      [row, cell] = [[], ""];
      at++;
    } else cell += character;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows;
};

/** The value of a cell of an export: without the apostrophes before what looks like a formula. */
export const valueOfCell = (cell: string): string =>
  cell.replaceAll(/(?<=^|[;\t|\r\n])'(?=["']*[=+\-@\t\r\n＝＋－＠])/g, "");
