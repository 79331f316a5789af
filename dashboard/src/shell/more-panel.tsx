// What "…" of a card opens: its numbers as CSV, the address of the page, and its questions as commands.
import {isShared} from '../address/base';
import {curlOf} from '../address/report-address';
import {ApiAddressNote} from '../controls/api-address-note';
import {CopyButton} from '../controls/copy-button';
import {apiAddress} from '../service/api-address';
import {downloadCsv} from './download';
import {Icon} from './icon';
import type {MoreToolsProps} from './page-tools';
import './more-panel.css';

export function MorePanel({paths = [], help, csv}: MoreToolsProps) {
  const commands = paths.map((path) => curlOf(apiAddress.value, path)).join('\n\n');
  return (
    <div class="more-panel">
      <div class="more-ways">
        {csv !== undefined && (
          <button type="button" class="button" onClick={() => downloadCsv(csv.file, csv.rows())}>
            <Icon name="Download" />
            Download as CSV
          </button>
        )}
        <CopyButton text={location.href} label="Copy the link" />
      </div>
      {commands !== '' && !isShared && (
        <>
          <h3>The same with curl</h3>
          <pre class="snippet">{commands}</pre>
          <ApiAddressNote />
          <div class="more-foot">
            <span class="help">MILLRACE_SECRET_KEY holds a secret key. {help}</span>
            <CopyButton text={commands} what="Copy the commands" />
          </div>
        </>
      )}
    </div>
  );
}
