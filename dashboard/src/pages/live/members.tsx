// The processes that fold, report and deliver beside an external NATS, and the partitions that none of them folds.
import type {LoadState, MemberLoad} from '../../../../src/edge/dashboard/answers/load.js';
import {duration} from '../../charts/format';
import {TableFrame} from '../../controls/table-frame';
import {Card} from '../../shell/card';

const pills: Readonly<Record<MemberLoad['state'], string>> = {up: 'pill', leaving: 'pill warn', silent: 'pill bad'};

const roles: Readonly<Record<MemberLoad['role'], string>> = {
  edge: 'serves',
  partition: 'folds',
  report: 'reports',
  deliver: 'delivers',
};

/** Partitions that no member folds. */
export function unownedOf({partitions, members}: Pick<LoadState, 'partitions' | 'members'>): number[] {
  const owned = new Set(members?.flatMap(({role, partitions}) => (role === 'partition' ? partitions : [])));
  return partitions.map(({partition}) => partition).filter((partition) => !owned.has(partition));
}

const listText = (partitions: readonly number[]): string => (partitions.length === 0 ? 'none' : partitions.join(', '));

const ownedText = ({role, partitions}: MemberLoad): string =>
  role === 'report' && partitions.length > 0 ? 'alerts' : listText(partitions);

export function Members({state}: {readonly state: LoadState}) {
  const {members, at} = state;
  if (members === null) return null;
  const unowned = unownedOf(state);
  return (
    <div class="row">
      <Card span={12} title="Members" note="processes that share the work">
        <TableFrame label="Members in a table">
          <table class="grid-table">
            <thead>
              <tr>
                <th>Member</th>
                <th>Role</th>
                <th>State</th>
                <th>Owns</th>
                <th class="number">Newest came</th>
                <th class="number">Member for</th>
              </tr>
            </thead>
            <tbody>
              {members.map((member) => (
                <tr key={`${member.name} ${member.role} ${member.since}`}>
                  <td>{member.name}</td>
                  <td>{roles[member.role]}</td>
                  <td>
                    <span class={pills[member.state]}>{member.state}</span>
                  </td>
                  <td>{ownedText(member)}</td>
                  <td class="number">
                    {member.moved_seconds === null ? '–' : `${duration(member.moved_seconds)} ago`}
                  </td>
                  <td class="number">
                    {duration(Math.max(0, Math.floor((at - member.since) / 1_000)))}
                    {member.is_back && ', again'}
                  </td>
                </tr>
              ))}
              {unowned.length > 0 && (
                <tr>
                  <td>nobody</td>
                  <td>folds</td>
                  <td>
                    <span class="pill bad">no owner</span>
                  </td>
                  <td>{listText(unowned)}</td>
                  <td />
                  <td />
                </tr>
              )}
            </tbody>
          </table>
        </TableFrame>
      </Card>
    </div>
  );
}
