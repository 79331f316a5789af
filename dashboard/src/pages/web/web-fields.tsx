// What the page asks, in one row: which event is a page view, whether bots count, the zone, and what the page is narrowed to.
import type {Days} from '../../address/range';
import {homeZone} from '../../address/zone';
import {Chips} from '../../controls/chips';
import {EventPicker} from '../../controls/event-picker';
import {Field} from '../../controls/options';
import {ZoneField} from '../../controls/zone-field';
import type {WebDraft} from './web-question';

export interface WebFieldsProps {
  readonly question: WebDraft;
  /** What the page is narrowed to, in words. */
  readonly narrowed: readonly string[];
  /** Name of the page views; undefined: none is known. */
  readonly event: string | undefined;
  readonly days: Days;
  readonly onChange: (changed: Partial<WebDraft>) => void;
}

export function WebFields({question, narrowed, event, days, onChange}: WebFieldsProps) {
  const {where = [], view, timezone = homeZone()} = question;
  return (
    <section class="card web-fields" aria-label="What is asked">
      <Field label="A page view is">
        <EventPicker
          key={event}
          label="Event"
          name={event}
          days={days}
          onChoose={(chosen) => onChange({events: [{event: chosen}]})}
        />
      </Field>
      <ZoneField zone={timezone} onChoose={(chosen) => onChange({timezone: chosen})} />
      <label class="check">
        <input
          type="checkbox"
          checked={view?.bots === undefined}
          onChange={({currentTarget}) => onChange({view: {bots: currentTarget.checked ? undefined : 'counted'}})}
        />
        Bots left out
      </label>
      {where.length > 0 && (
        <div class="web-narrowed">
          <Field label="Narrowed to">
            <Chips
              texts={narrowed}
              what="condition"
              of="from what the page is narrowed to"
              onChange={(left) => onChange({where: where.filter((_, at) => left.includes(narrowed[at]!))})}
            />
          </Field>
        </div>
      )}
    </section>
  );
}
