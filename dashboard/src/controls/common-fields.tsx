// Fields that several reports have: whose events count, and by what they are broken down.
import type {Condition} from '../address/conditions';
import type {Days} from '../address/range';
import {segmentName} from '../service/known-segments';
import {useKnownSegments} from '../service/segments';
import {Icon} from '../shell/icon';
import {ConditionList} from './condition-list';
import {Field, Options} from './options';
import {BreakdownPicker} from './property-picker';

/** Members of a question that say whose events count. */
interface OfUsers {
  /** Id of a segment; null: of none. */
  readonly segment: string | null;
  readonly user_where: readonly Condition[];
}

export function UsersField({
  question: {segment, user_where: conditions},
  onChange,
}: {
  readonly question: OfUsers;
  readonly onChange: (changed: Partial<OfUsers>) => void;
}) {
  const all = useKnownSegments();
  const isKnown = segment === null || all.some(({id}) => id === segment);
  return (
    <>
      {(all.length > 0 || !isKnown) && (
        <Options
          label="Only users of the segment"
          value={segment ?? ''}
          options={[
            ['', 'All users'],
            ...all.map(({id, name}) => [id, name] as const),
            ...(isKnown ? [] : [[segment, segmentName(segment)] as const]),
          ]}
          onChoose={(id) => onChange({segment: id === '' ? null : id})}
        />
      )}
      <UserConditions conditions={conditions} onChange={(user_where) => onChange({user_where})} />
    </>
  );
}

export function UserConditions({
  conditions,
  onChange,
}: {
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}) {
  return (
    <Field label="Only users whose traits match">
      <ConditionList conditions={conditions} keys={{of: 'users'}} of="of the users" onChange={onChange} />
    </Field>
  );
}

export function ByField({
  by,
  event,
  days,
  onChange,
}: {
  readonly by: string | null;
  readonly event: string | undefined;
  readonly days: Days;
  readonly onChange: (by: string | null) => void;
}) {
  return (
    <Field label="Broken down by">
      <div class="builder-row">
        <BreakdownPicker
          label="Broken down by"
          keys={{of: 'events', event, days}}
          value={by ?? undefined}
          onChoose={onChange}
        />
        {by !== null && (
          <button
            type="button"
            class="quiet"
            title="Remove"
            aria-label="Not broken down"
            onClick={() => onChange(null)}
          >
            <Icon name="Close" />
          </button>
        )}
      </div>
    </Field>
  );
}
