// The table of single events, as it arrives and as it is stored.
import type {ComponentChildren} from 'preact';

export function EventsTable({time, children}: {readonly time: string; readonly children: ComponentChildren}) {
  return (
    <table class="grid-table events-table">
      <thead>
        <tr>
          <th>{time} (UTC)</th>
          <th>Event</th>
          <th>User</th>
          <th>Properties</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
