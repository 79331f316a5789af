// Table whose last column has the actions of each row.
import type {ComponentChildren} from 'preact';
import {TableFrame} from './table-frame';

export function ActionsTable({
  label,
  look,
  columns,
  children,
}: {
  readonly label: string;
  /** Class of the table. */
  readonly look: string;
  /** Heads of all columns but the last. */
  readonly columns: readonly string[];
  /** Rows. */
  readonly children: ComponentChildren;
}) {
  return (
    <TableFrame label={label}>
      <table class={`grid-table ${look}`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
            <th>
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </TableFrame>
  );
}
