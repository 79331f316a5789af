// One person: first and last seen, traits, days, events.

import {useState} from 'preact/hooks';
import type {ProfileAnswer} from '../../../../src/edge/answers/users.js';
import {dashboardPath} from '../../address/base';
import {dayOfMs} from '../../address/range';
import {type PersonId, personExportPath, personPath} from '../../address/report-address';
import {count, momentText} from '../../charts/format';
import {CopyButton} from '../../controls/copy-button';
import {Moment} from '../../controls/moment';
import {TableFrame} from '../../controls/table-frame';
import {useAsked} from '../../service/asked';
import {useHistory} from '../../service/person-history';
import {may, session} from '../../service/session';
import {titleIn} from '../../service/titles';
import {today} from '../../service/today';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {ReportTools} from '../../shell/page-tools';
import {Empty, FaultBox, Loading} from '../../shell/states';
import {ActivityStrip} from './activity-strip';
import {EventList} from './event-list';
import {FunnelProgress} from './funnel-progress';
import '../../design/reports.css';
import {typeOf, valueText} from './trait-text';

const stripDays = 90;
const namesMax = 8;
/** Name without the id, which would stay in the list of downloads. */
const exportFile = 'person.ndjson';

export function PersonPage({
  person,
  onFind,
  onDelete,
}: {
  readonly person: PersonId;
  readonly onFind: (person: PersonId) => void;
  readonly onDelete: () => void;
}) {
  const path = personPath(person);
  const [asked, ask] = useAsked<ProfileAnswer>(path);
  const [history, readOn] = useHistory(person);
  const [isAllNames, setAllNames] = useState(false);
  const {value, fault} = asked.value;
  if (fault?.code === 'user_not_found') {
    const linkedTo = fault.more?.linked_to;
    if (typeof linkedTo === 'string') return <Linked person={person} userId={linkedTo} onFind={onFind} />;
    return <Unknown person={person} onFind={onFind} />;
  }
  if (fault !== undefined) return <FaultBox fault={fault} onAgain={ask} />;
  if (value === undefined) return <Loading lines={6} />;
  const traits = Object.entries(value.traits);
  const title = titleIn(value.traits);
  const devices = value.anonymous_ids ?? [];
  const lastDay = dayOfMs(Date.parse(value.last_seen));
  // The strip of a person who was last seen long ago ends on that day.
  const stripEnd = lastDay < today.value - stripDays ? lastDay : today.value;
  const names = new Map<string, number>();
  for (const {event} of history.events) names.set(event, (names.get(event) ?? 0) + 1);
  const byName = [...names].sort((a, b) => b[1] - a[1]);
  return (
    <>
      <section class="card person-head" aria-label="Profile">
        <div class="person-id">
          <span class="label">{person.kind === 'user' ? 'User' : 'Anonymous'}</span>
          <h2>{title ?? value.id}</h2>
          {title !== undefined && title !== value.id && <span class="faint">{value.id}</span>}
        </div>
        <dl>
          <div>
            <dt>First seen</dt>
            <dd>
              <Moment iso={value.created_at} />
              <span class="faint">{momentText(Date.parse(value.created_at))} UTC</span>
            </dd>
          </div>
          <div>
            <dt>Last seen</dt>
            <dd>
              <Moment iso={value.last_seen} />
              <span class="faint">{momentText(Date.parse(value.last_seen))} UTC</span>
            </dd>
          </div>
          <div>
            <dt>Events</dt>
            <dd>
              {count(history.events.length)}
              {history.hasMore && history.events.length > 0 ? ' and more' : ''}
              <span class="faint">{byName.length === 1 ? 'of one name' : `of ${count(byName.length)} names`}</span>
            </dd>
          </div>
        </dl>
        {devices.length > 0 && (
          <details class="person-devices">
            <summary>
              {count(devices.length)} {devices.length === 1 ? 'anonymousId belongs' : 'anonymousIds belong'} to this
              user
            </summary>
            <p class="faint">Events that have only one of these ids are theirs, too, also those before the sign-up.</p>
            <ul>
              {devices.map((id) => (
                <li key={id}>
                  <code>{id}</code>
                </li>
              ))}
            </ul>
          </details>
        )}
        <div class="person-tools">
          <ReportTools paths={[path]} />
          <CopyButton text={value.id} label="Copy the id" />
          <a class="button" href={`${dashboardPath}/api/${personExportPath(person)}`} download={exportFile}>
            <Icon name="Download" />
            Export
          </a>
          {may('admin') && (
            <button type="button" class="button" onClick={onDelete}>
              <Icon name="Trash" />
              Delete
            </button>
          )}
        </div>
      </section>
      <div class="row">
        <Card span={8} title="Activity" note={`events a day, ${stripDays} days`}>
          <ActivityStrip history={history} last={stripEnd} length={stripDays} />
        </Card>
        <Card
          span={4}
          title="By name"
          note={history.hasMore ? `of the newest ${count(history.events.length)}` : undefined}
        >
          <div class="table-frame by-name">
            <table class="grid-table">
              <tbody>
                {(isAllNames ? byName : byName.slice(0, namesMax)).map(([name, events]) => (
                  <tr key={name}>
                    <td class="name">
                      <span
                        class="bar-cell"
                        style={{'--share': `${((100 * events) / (byName[0]?.[1] ?? 1)).toFixed(1)}%`}}
                      >
                        <span>{name}</span>
                      </span>
                    </td>
                    <td class="number">{count(events)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {byName.length === 0 && !history.isReading && <p class="faint">No event</p>}
            {!isAllNames && byName.length > namesMax && (
              <button type="button" class="link" onClick={() => setAllNames(true)}>
                All {count(byName.length)} names
              </button>
            )}
          </div>
        </Card>
      </div>
      <FunnelProgress person={person} />
      <div class="row loose">
        <Card span={8} title="Events" note="newest first, by their own time, UTC">
          <EventList history={history} onMore={readOn} />
        </Card>
        <Card span={4} title="Traits" note={traits.length === 0 ? undefined : count(traits.length)}>
          {session.value?.sees_traits === false ? (
            <Empty title="Not shown to you">Your access token is without the traits of people.</Empty>
          ) : traits.length === 0 ? (
            <Empty title="No traits">A call of identify sets them.</Empty>
          ) : (
            <TableFrame label="Traits in a table">
              <table class="grid-table traits">
                <thead>
                  <tr>
                    <th>Trait</th>
                    <th>Value</th>
                    <th>Type</th>
                  </tr>
                </thead>
                <tbody>
                  {traits.map(([name, trait]) => (
                    <tr key={name}>
                      <td>{name}</td>
                      <td class={typeof trait === 'string' ? '' : 'mono'}>{valueText(trait)}</td>
                      <td class="faint">{typeOf(trait)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </TableFrame>
          )}
          {value.traits_over_limit !== undefined && (
            <p class="help">{count(value.traits_over_limit)} more were left out, because the profile is full.</p>
          )}
        </Card>
      </div>
    </>
  );
}

function Linked({
  person,
  userId,
  onFind,
}: {
  readonly person: PersonId;
  readonly userId: string;
  readonly onFind: (person: PersonId) => void;
}) {
  return (
    <section class="card" aria-label="The id of a user">
      <Empty title="This anonymousId is a user">
        Everything that was sent with <code>{person.id}</code> belongs to the user <code>{userId}</code>, whose device
        it is.
      </Empty>
      <div class="state-ways">
        <button type="button" class="button primary" onClick={() => onFind({kind: 'user', id: userId})}>
          Show {userId}
        </button>
      </div>
    </section>
  );
}

function Unknown({person, onFind}: {readonly person: PersonId; readonly onFind: (person: PersonId) => void}) {
  const other = person.kind === 'user' ? 'anonymous' : 'user';
  return (
    <section class="card" aria-label="Nobody found">
      <Empty title={`Nobody has this ${person.kind === 'user' ? 'userId' : 'anonymousId'}`}>
        No event or identify named <code>{person.id}</code>, or the person was deleted. Ids are compared exactly,
        capitals and spaces too.
      </Empty>
      <div class="state-ways">
        <button type="button" class="button" onClick={() => onFind({kind: other, id: person.id})}>
          Search for it as {other === 'user' ? 'a userId' : 'an anonymousId'}
        </button>
      </div>
    </section>
  );
}
