// The questions of a card as commands, to be copied.
import {curlOf} from '../address/report-address';
import {ApiAddressNote} from '../controls/api-address-note';
import {CopyButton} from '../controls/copy-button';
import {apiAddress} from '../service/api-address';
import './curl-panel.css';

export interface CurlPanelProps {
  /** Paths of the API, in the order of the commands. */
  readonly paths: readonly string[];
  /** Words about the commands. */
  readonly help?: string;
}

export function CurlPanel({paths, help}: CurlPanelProps) {
  const text = paths.map((path) => curlOf(apiAddress.value, path)).join('\n\n');
  return (
    <div class="curl-panel">
      <h3>The same with curl</h3>
      <pre class="snippet">{text}</pre>
      <ApiAddressNote />
      <div class="curl-foot">
        <span class="help">MILLRACE_SECRET_KEY holds a secret key. {help}</span>
        <CopyButton text={text} what="Copy the commands" />
      </div>
    </div>
  );
}
