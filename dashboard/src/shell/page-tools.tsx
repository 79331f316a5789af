// What every report can be taken away as: the request with curl, a CSV of what is shown, a table instead of a chart.
import {serviceAddress} from '../address/base';
import {curlOf} from '../address/report-address';
import {type Cell, csvOf} from '../charts/csv';
import {CopyButton} from '../controls/copy-button';
import {Popover} from '../controls/popover';
import {Icon} from './icon';
import './page-tools.css';

export function CurlButton({paths}: {readonly paths: readonly string[]}) {
  const text = paths.map((path) => curlOf(serviceAddress, path)).join('\n\n');
  return (
    <Popover label="The same with curl" title="The same with curl" look="quiet" button={<Icon name="code" />}>
      {() => (
        <div class="curl-panel">
          <h3>The same with curl</h3>
          <pre class="snippet">{text}</pre>
          <div class="curl-foot">
            <span class="help">MILLRACE_SECRET_KEY holds a secret key.</span>
            <CopyButton text={text} what="Copy the commands" />
          </div>
        </div>
      )}
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
      onClick={() => download(`${file}.csv`, 'text/csv;charset=utf-8', csvOf(rows()))}
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

export function download(file: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = document.createElement('a');
  link.href = address;
  link.download = file;
  link.click();
  // The browser has begun to read it by then; the text would stay in memory as long as the page.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
