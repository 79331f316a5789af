// Fields that several reports have: whose events count, and by what they are broken down.
import type {Condition} from '../address/conditions';
import type {Days} from '../address/range';
import {Icon} from '../shell/icon';
import {ConditionList} from './condition-list';
import {Field} from './options';
import {BreakdownPicker} from './property-picker';

export function UserConditions({
  conditions,
  onChange,
}: {
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}) {
  return (
    <Field label="Only users whose traits match">
      <ConditionList
        conditions={conditions}
        keys={{of: 'users'}}
        of="of the users"
        add={conditions.length === 0 ? 'All users: add a filter' : 'Filter'}
        onChange={onChange}
      />
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
            <Icon name="close" />
          </button>
        )}
      </div>
    </Field>
  );
}
