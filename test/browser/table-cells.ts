// What a table of a page shows.
import type {Locator} from 'playwright-core';

/** Texts of the cells of each row of the table's body. */
export const cellsOf = (table: Locator): Promise<string[][]> =>
  table
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        Array.from((row as unknown as {cells: Iterable<{innerText: string}>}).cells, (cell) => cell.innerText.trim()),
      ),
    );
