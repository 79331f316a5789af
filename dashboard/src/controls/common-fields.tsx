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
    <Field label="Users where">
      <ConditionList conditions={conditions} keys={{of: 'users'}} of="of the users" onChange={onChange} />
    </Field>
  );
}

export function ByField({
  by,
  event,
  days,
  countMax = 1,
  onChange,
}: {
  readonly by: readonly string[];
  readonly event: string | undefined;
  readonly days: Days;
  readonly countMax?: number;
  readonly onChange: (by: readonly string[]) => void;
}) {
  const rows: readonly (string | undefined)[] = by.length < countMax ? [...by, undefined] : by;
  return (
    <Field label="Break down by">
      {rows.map((one, at) => (
        <div key={at} class="builder-row">
          <BreakdownPicker
            label={breakdownLabels[at]!}
            keys={{of: 'events', event, days}}
            value={one}
            placeholder={at === 0 ? undefined : 'And by another one'}
            onChoose={(chosen) => onChange(withAt(by, at, chosen))}
          />
          {one !== undefined && (
            <button
              type="button"
              class="quiet"
              title="Remove"
              aria-label={by.length === 1 ? 'Not broken down' : `Not broken down by ${one}`}
              onClick={() => onChange(by.filter((other) => other !== one))}
            >
              <Icon name="Close" />
            </button>
          )}
        </div>
      ))}
    </Field>
  );
}

const breakdownLabels = ['Break down by', 'Second breakdown', 'Third breakdown'];

/** With another one at a place; nothing is there twice. */
const withAt = (by: readonly string[], at: number, chosen: string): readonly string[] =>
  by.includes(chosen) ? by : [...by.slice(0, at), chosen, ...by.slice(at + 1)];
