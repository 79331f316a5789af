// The questions of a card as commands, to be copied.
import {serviceAddress} from '../address/base';
import {curlOf} from '../address/report-address';
import {CopyButton} from '../controls/copy-button';
import './curl-panel.css';

export function CurlPanel({paths}: {readonly paths: readonly string[]}) {
  const text = paths.map((path) => curlOf(serviceAddress, path)).join('\n\n');
  return (
    <div class="curl-panel">
      <h3>The same with curl</h3>
      <pre class="snippet">{text}</pre>
      <div class="curl-foot">
        <span class="help">MILLRACE_SECRET_KEY holds a secret key.</span>
        <CopyButton text={text} what="Copy the commands" />
      </div>
    </div>
  );
}
