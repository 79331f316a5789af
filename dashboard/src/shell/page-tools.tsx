// Buttons of a report: the request as a curl command, the numbers as a CSV, a table instead of the chart.

import {isShared} from '../address/base';
import type {Cell} from '../charts/csv';
import {Popover} from '../controls/popover';
import type {CurlPanelProps} from './curl-panel';
import {Icon} from './icon';
import {act, later} from './later';

const CurlPanel = later(() => import('./curl-panel').then(({CurlPanel: Panel}) => Panel));

export function CurlButton(props: CurlPanelProps) {
  if (isShared) return null;
  return (
    <Popover label="The same with curl" title="The same with curl" look="quiet" button={<Icon name="code" />}>
      {() => <CurlPanel {...props} />}
    </Popover>
  );
}

/** `rows` are made when they are asked for, the first of them the names of the columns. */
export function CsvButton({file, rows}: {readonly file: string; readonly rows: () => readonly (readonly Cell[])[]}) {
  return (
    <button
      type="button"
      class="quiet"
      title="Download as CSV"
      aria-label="Download as CSV"
      onClick={() =>
        void act(
          () => import('./download'),
          ({downloadCsv}) => downloadCsv(file, rows()),
        )
      }
    >
      <Icon name="download" />
    </button>
  );
}

export function TableButton({
  isTable,
  onChange,
}: {
  readonly isTable: boolean;
  readonly onChange: (is: boolean) => void;
}) {
  return (
    <button
      type="button"
      class="quiet"
      title={isTable ? 'Show the chart' : 'Show the numbers as a table'}
      aria-label="Show the numbers as a table"
      aria-pressed={isTable}
      onClick={() => onChange(!isTable)}
    >
      <Icon name="table" />
    </button>
  );
}
