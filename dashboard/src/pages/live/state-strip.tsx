// State of the service in its own words: ready or why not, and what an operator must do.

import type {LoadState} from '../../../../src/edge/dashboard/answers/load.js';
import {clockText, duration} from '../../charts/format';
import type {Load} from '../../service/load';
import {Icon} from '../../shell/icon';
import {alarmWords} from './alarms';
import {fillRate} from './points';
import {bytesText} from './units';

const words = {ready: 'Ready', degraded: 'Degraded', catching_up: 'Catching up', not_ready: 'Not ready'} as const;
const dots = {ready: 'dot', degraded: 'dot warn', catching_up: 'dot warn', not_ready: 'dot bad'} as const;
const daySeconds = 86_400;
/** A forecast beyond this is a guess. */
const daysMax = 3_650;

export function StateStrip({load}: {readonly load: Load}) {
  const {state} = load;
  const {status, reasons, warnings, notes, alarms} = state;
  return (
    <section class="card" aria-label="State">
      <div class="strip">
        <span class={`state ${status}`} role="status">
          <span class={dots[status]} />
          {words[status]}
        </span>
        <dl>
          {facts(load).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      {alarms.length > 0 && (
        <ul class="alarms" aria-label="Alarms">
          {alarms.map(({kind, partitions}) => (
            <li key={kind}>
              <Icon name="warning" />
              <div>
                <strong>
                  <code>{kind}</code>
                  {partitions.length > 0 && ` in partition ${partitions.join(', ')}`}: {plain(alarmWords[kind].means)}
                </strong>
                <p>{plain(alarmWords[kind].cure)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {reasons.length + warnings.length > 0 && (
        <ul class="reasons">
          {[...reasons, ...warnings].map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {notes.length > 0 && <p class="card-foot">{notes.join('; ')}</p>}
    </section>
  );
}

/** The words of docs/operating.md without Markdown. */
const plain = (text: string): string => text.replaceAll('`', '');

function facts({state, rows}: Load): [name: string, value: string][] {
  const {durability, report, nats, disk, up_seconds} = state;
  return [
    ['A 200 survives', durability === 'power-cut' ? 'power cuts' : 'a crash of the service'],
    ['Reports as of', asOfText(report, state.at)],
    ['nats-server', [nats.version ?? 'not known', nats.is_own ? 'own' : 'external'].join(', ')],
    ...(disk === null ? [] : [['Free disk', diskText(disk, fillRate(rows))] as [string, string]]),
    ['Up for', duration(up_seconds)],
  ];
}

export function asOfText({as_of}: LoadState['report'], atMs: number): string {
  if (as_of === null) return 'none yet';
  const ms = Date.parse(as_of);
  return `${clockText(ms / 1_000)}, ${duration(Math.max(0, Math.floor((atMs - ms) / 1_000)))} ago`;
}

export function diskText({free_bytes, reserve_bytes}: NonNullable<LoadState['disk']>, fill: number | null): string {
  const free = bytesText(free_bytes);
  if (fill === null || fill <= 0) return free;
  const days = Math.floor((free_bytes - reserve_bytes) / fill / daySeconds);
  return days > daysMax
    ? free
    : `${free}, full in ${days < 1 ? 'less than a day' : duration(days * daySeconds)} if the disk goes on filling so`;
}
