// Uses of memory against their bounds.
import type {LoadState} from '../../../../src/edge/dashboard/answers/load.js';
import {Card} from '../../shell/card';

const names: Readonly<Record<string, string>> = {
  live_reads: 'Live reads',
  reports: 'Reports',
  funnels: 'Funnels',
  message_ids: 'Message ids',
  log: 'Waiting for the log',
  fold: 'Not counted yet',
  heaps: 'Heaps of threads',
  nats: 'nats-server',
};
const mib = 1_048_576;

const mibText = (bytes: number): string =>
  String(bytes < 10 * mib && bytes > 0 ? (bytes / mib).toFixed(1) : Math.round(bytes / mib));

export function Memory({state}: {readonly state: LoadState}) {
  const {memory} = state;
  const all = memory.reduce((sum, {bytes}) => sum + bytes, 0);
  const most = Math.max(...memory.map(({bytes}) => bytes), 512 * mib);
  return (
    <Card span={5} title="Memory" note={`${mibText(all)} MiB in all, against their bounds`}>
      <ul class="bounds">
        {memory.map(({use, bytes, bytes_max}) => (
          <li key={use}>
            <span>{names[use] ?? use}</span>
            <span class="lane" aria-hidden="true">
              <i
                class={
                  bytes_max === null ? 'tone-faint' : bytes > 0.95 * bytes_max && use === 'log' ? 'tone-2' : 'tone-1'
                }
                style={{'--share': `${Math.min(100, (100 * bytes) / (bytes_max ?? most))}%`}}
              />
            </span>
            <span class="number">
              <b>{mibText(bytes)}</b> {bytes_max === null ? 'MiB' : `of ${Math.round(bytes_max / mib)} MiB`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
