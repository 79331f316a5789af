// Numbers of Live load as text, for a ticket, without any id, key or name of a client.
import {duration, momentText} from '../../charts/format';
import type {Load} from '../../service/load';
import {alarmWords} from './alarms';
import {fillRate} from './points';
import {asOfText, diskText} from './state-strip';
import {bytesText} from './units';

export function stateText({state, rows}: Load): string {
  const {reasons, warnings, notes, alarms, nats, disk, partitions, members, memory, threads} = state;
  const newest = Object.entries(rows.columns).map(([name, values]) => `${name} ${values.at(-1) ?? 'not known'}`);
  return [
    `Millrace ${state.version}, ${momentText(state.at)} UTC, up for ${duration(state.up_seconds)}`,
    `Status: ${state.status}; a 200 survives ${state.durability === 'power-cut' ? 'power cuts' : 'a crash'}`,
    ...alarms.map(
      ({kind, partitions: of}) => `Alarm ${kind} (partitions ${of.join(', ') || '-'}): ${alarmWords[kind].means}`,
    ),
    ...[...reasons, ...warnings, ...notes].map((line) => `- ${line}`),
    `Reports as of ${asOfText(state.report, state.at)}; promised within ${state.report.refresh_seconds} s`,
    `nats-server ${nats.version ?? 'not known'}, ${nats.is_own ? 'own' : 'external'}, restarts ${nats.restarts ?? 'not known'}`,
    ...(disk === null ? [] : [`Free disk ${diskText(disk, fillRate(rows))}`]),
    '',
    'Newest second:',
    ...newest.map((line) => `  ${line}`),
    '',
    'Partitions:',
    ...partitions.map((one) => `  ${JSON.stringify(one)}`),
    ...(members === null ? [] : ['Members:', ...members.map((one) => `  ${JSON.stringify(one)}`)]),
    'Memory:',
    ...memory.map(
      ({use, bytes, bytes_max}) =>
        `  ${use} ${bytesText(bytes)}${bytes_max === null ? '' : ` of ${bytesText(bytes_max)}`}`,
    ),
    'Timers late, ms:',
    ...threads.map(({thread, late_p99_ms, late_max_ms}) => `  ${thread}: p99 ${late_p99_ms}, max ${late_max_ms}`),
    '',
  ].join('\n');
}
