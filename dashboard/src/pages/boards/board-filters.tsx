// Conditions that hold for all tiles of a board: on events, and on users.
import type {ForTiles} from '../../address/board-address';
import {daysOf} from '../../address/range';
import {range as rangeParameter} from '../../address/report-address';
import {homeZone} from '../../address/zone';
import {UserConditions} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {Field} from '../../controls/options';
import {todayIn} from '../../shell/zone-day';
import './boards.css';

export function BoardFilters({
  all: {range, where, user_where: ofUsers},
  onChange,
}: {
  readonly all: ForTiles;
  readonly onChange: (changed: Partial<ForTiles>) => void;
}) {
  const days = daysOf(range ?? rangeParameter.absent, todayIn(homeZone()));
  return (
    <section class="card board-filters" aria-label="Filters of all tiles">
      <Field label="Only events that match">
        <ConditionList
          conditions={where}
          keys={{of: 'events', event: undefined, days}}
          of="of all tiles"
          onChange={(chosen) => onChange({where: chosen})}
        />
      </Field>
      <UserConditions conditions={ofUsers} onChange={(chosen) => onChange({user_where: chosen})} />
    </section>
  );
}
