// Events as they arrive: a sample of readable size, and the number of all. The list pauses under the pointer, with the focus
// in it, and by its button.

import {useState} from 'preact/hooks';
import {clockText} from '../../charts/format';
import {propertiesText, whoOf} from '../../service/arrivals';
import {useLiveArrivals} from '../../service/live-arrivals';
import {streamState} from '../../service/stream';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {useKeys} from '../../shell/keys';
import {Empty} from '../../shell/states';
import {EventsTable} from './events-table';
import {FilterFields} from './filter-fields';

const keptMax = 200;
export function Arriving() {
  const [filter, setFilter] = useState<{event?: string; user?: string}>({});
  const arrivals = useLiveArrivals(keptMax, filter);
  const {shown, isHeld} = arrivals;
  useKeys({p: arrivals.hold});
  return (
    <Card
      span={12}
      title="Arriving now"
      note={arrivals.note}
      tools={
        <button
          type="button"
          class="quiet"
          aria-pressed={isHeld}
          aria-label={isHeld ? 'Go on' : 'Hold'}
          onClick={arrivals.hold}
        >
          <Icon name={isHeld ? 'play' : 'pause'} />
        </button>
      }
    >
      <FilterFields
        fields={[
          {name: 'event', label: 'Event'},
          {name: 'user', label: 'User or anonymous id'},
        ]}
        values={filter}
        onChange={(values) => {
          setFilter(values);
          arrivals.clear();
        }}
      />
      {shown.length === 0 ? (
        <Empty title={streamState.value === 'open' ? 'Listening' : 'Connecting'}>
          Events appear here within a second of being accepted: ten a second at most, whatever comes, with their number.
        </Empty>
      ) : (
        <section class="table-frame" aria-label="Arriving events" {...arrivals.still}>
          <EventsTable time="Received">
            {shown.map((one) => (
              <tr key={one.number}>
                <td class="faint">{clockText(one.received / 1_000)}</td>
                <td class="event">{one.event}</td>
                <td>
                  <button
                    type="button"
                    class="link"
                    title="Only of this user"
                    onClick={() => setFilter({...filter, user: whoOf(one)})}
                  >
                    {whoOf(one)}
                  </button>
                  {one.user_id === null && <span class="faint"> anonymous</span>}
                </td>
                <td class="of">{propertiesText(one)}</td>
              </tr>
            ))}
          </EventsTable>
        </section>
      )}
    </Card>
  );
}
