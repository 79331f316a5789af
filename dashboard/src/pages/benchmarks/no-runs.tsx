// Page before the first run: how to make one.
import {CopyButton} from '../../controls/copy-button';
import {Snippet} from '../../controls/snippet';
import {Card} from '../../shell/card';

const command = 'npm run bench -- ingest --keep';

export function NoRuns() {
  return (
    <div class="row">
      <Card span={7} title="No runs yet">
        <div class="no-runs">
          <p>
            A run measures this version on one machine, beside floors and peers that get the same bytes. With{' '}
            <code>--keep</code> it becomes a line of <code>bench/history.ndjson</code>, and this page shows how its
            figures change.
          </p>
          <Snippet label="Command that makes a run" text={command} />
          <div class="buttons">
            <CopyButton text={command} what="Copy the command" />
          </div>
          <p class="help">
            Run it where the project is checked out, on a machine that does nothing else. It takes some five minutes.
          </p>
        </div>
      </Card>
    </div>
  );
}
