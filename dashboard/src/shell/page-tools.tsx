// The tools of a card, on every page in one order: the table in place of the chart, and the rest behind "…". What a page adds to its
// report, such as a pin, stands before them.
import type {RefObject} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {isShared} from '../address/base';
import type {Cell} from '../charts/csv';
import {Popover} from '../controls/popover';
import {Icon} from './icon';
import {later} from './later';

export interface MoreToolsProps {
  /** Paths of the API that the card asks, in their order. */
  readonly paths?: readonly string[];
  /** Words about their commands. */
  readonly help?: string;
  /** Rows are made when they are asked for, the first of them the names of the columns. */
  readonly csv?: {readonly file: string; readonly rows: () => readonly (readonly Cell[])[]};
}

/** What can be downloaded from the page that is shown, for Ctrl-K. */
export const csvsOfPage = new Set<RefObject<MoreToolsProps['csv']>>();

const MorePanel = later<MoreToolsProps>(() => import('./more-panel').then(({MorePanel: Panel}) => Panel));

export function ReportTools({
  table,
  ...more
}: MoreToolsProps & {
  readonly table?: {readonly isTable: boolean; readonly onChange: (is: boolean) => void};
}) {
  const {csv} = more;
  const latest = useRef(csv);
  latest.current = csv;
  useEffect(() => {
    csvsOfPage.add(latest);
    return () => void csvsOfPage.delete(latest);
  }, []);
  const hasMore = csv !== undefined || (more.paths !== undefined && !isShared);
  return (
    <>
      {table !== undefined && <TableButton {...table} />}
      {hasMore && (
        <Popover label="More" title="CSV, curl and link" look="quiet" button={<Icon name="More" />}>
          {() => <MorePanel {...more} />}
        </Popover>
      )}
    </>
  );
}

function TableButton({isTable, onChange}: {readonly isTable: boolean; readonly onChange: (is: boolean) => void}) {
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
