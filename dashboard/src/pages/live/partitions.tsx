// The partitions, worst first.

import type {PartitionLoad} from '../../../../src/edge/dashboard/answers/load.js';
import {count, duration} from '../../charts/format';
import {TableFrame} from '../../controls/table-frame';
import type {Load} from '../../service/load';
import {Card} from '../../shell/card';
import {rateText, secondsText} from './units';

const behindMsMany = 1_000;

function worstFirst(partitions: readonly PartitionLoad[]): PartitionLoad[] {
  const rank = ({behind_ms}: PartitionLoad): number => behind_ms ?? Number.POSITIVE_INFINITY;
  return [...partitions].sort((a, b) => rank(b) - rank(a) || a.partition - b.partition);
}

/** Events and identify calls a second, between the last two looks. */
export function rateOf(partition: PartitionLoad, {state, before}: Load): number | null {
  const folded = before?.partitions.find((one) => one.partition === partition.partition)?.folded ?? null;
  const seconds = before === undefined ? 0 : (state.at - before.at) / 1_000;
  if (folded === null || partition.folded === null || seconds <= 0 || partition.folded < folded) return null;
  return (partition.folded - folded) / seconds;
}

const or = <Value,>(value: Value | null, say: (value: Value) => string): string => (value === null ? '–' : say(value));

function State({partition, refreshSeconds}: {readonly partition: PartitionLoad; readonly refreshSeconds: number}) {
  const {behind_ms, snapshot_age_ms} = partition;
  if (behind_ms === null) return <span class="pill bad">silent</span>;
  if (behind_ms >= behindMsMany) return <span class="pill warn">behind</span>;
  if (snapshot_age_ms !== null && snapshot_age_ms > 1_200 * refreshSeconds) return <span class="pill warn">late</span>;
  return <span class="pill">live</span>;
}

export function Partitions({load}: {readonly load: Load}) {
  const {partitions, report} = load.state;
  return (
    <Card span={7} title="Partitions" note="worst first">
      <TableFrame label="Partitions in a table">
        <table class="grid-table">
          <thead>
            <tr>
              <th>Partition</th>
              <th>State</th>
              <th class="number">Behind</th>
              <th class="number">Counted a second</th>
              <th class="number">Counted</th>
              <th class="number">Users</th>
              <th class="number">Snapshot</th>
              <th class="number">Ids kept</th>
              <th class="number">Deletions</th>
            </tr>
          </thead>
          <tbody>
            {worstFirst(partitions).map((one) => (
              <tr key={one.partition}>
                <td>{one.partition}</td>
                <td>
                  <State partition={one} refreshSeconds={report.refresh_seconds} />
                </td>
                <td class="number">{or(one.behind_ms, (ms) => `${secondsText(ms)} s`)}</td>
                <td class="number">{or(rateOf(one, load), rateText)}</td>
                <td class="number">{or(one.folded, count)}</td>
                <td class="number">{or(one.users, count)}</td>
                <td class="number">
                  {or(one.snapshot_age_ms, (ms) => `${duration(Math.floor(Math.max(0, ms) / 1_000))} ago`)}
                </td>
                <td class="number">{or(one.dedupe_window_ms, (ms) => duration(Math.floor(ms / 1_000)))}</td>
                <td class="number">
                  {or(one.deletions_pending, (pending) => (pending === 0 ? '0' : `${pending} pending`))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </Card>
  );
}
