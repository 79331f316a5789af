// Table whose last column has the actions of each row.
import type {ComponentChildren} from 'preact';
import {TableFrame} from './table-frame';
import './actions-table.css';

export function ActionsTable({
  label,
  look = 'named-rows',
  columns,
  children,
}: {
  readonly label: string;
  /** Class of the table; absent: rows with a name each, which are blocks on a phone. */
  readonly look?: string;
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
