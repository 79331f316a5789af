// The people that a search finds, the last seen first.
import type {Signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {pageAddress} from '../../address/base';
import {writeAddress} from '../../address/codec';
import type {PersonId} from '../../address/report-address';
import {count, momentText, propertiesText} from '../../charts/format';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Moment} from '../../controls/moment';
import {Field, Options} from '../../controls/options';
import {TableFrame} from '../../controls/table-frame';
import type {Freshness} from '../../service/freshness';
import {today} from '../../service/today';
import {useUserList} from '../../service/user-list';
import {Card} from '../../shell/card';
import type {EmptyDaysProps} from '../../shell/empty-days';
import {later} from '../../shell/later';
import {NotRenewed} from '../../shell/not-renewed';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import {FaultBox, Loading} from '../../shell/states';
import {type PeopleQuestion, peopleListForm, userListPath, withins} from './people-address';
import '../../design/builder.css';

const EmptyDays = later<EmptyDaysProps>(() => import('../../shell/empty-days').then(({EmptyDays: Part}) => Part));

const listPageMax = 100;
const withinWords = {'1d': 'today', '7d': 'the last 7 days', '30d': 'the last 30 days', '90d': 'the last 90 days'};
/** Names of events with counts, for the picker. */
const pickerDays = 90;

export function PeopleList({
  question,
  freshness,
  onAsk,
}: {
  readonly question: PeopleQuestion;
  /** Is set to that of the list. */
  readonly freshness: Signal<Freshness | undefined>;
  readonly onAsk: (changed: Partial<PeopleQuestion>) => void;
}) {
  const [list, readOn, again] = useUserList((page) => userListPath(question, today.value, listPageMax, page));
  const {users, hasMore, isReading, fault, isRenewal} = list;
  useEffect(() => {
    freshness.value = list.freshness;
  }, [list.freshness]);
  /** With the question of the list, to which `All people` leads back. */
  const addressOf = ({kind, id}: PersonId): string =>
    pageAddress('/people') + writeAddress(peopleListForm, {...question, prefix: null, [kind]: id});
  const days = {from: today.value - pickerDays + 1, to: today.value};
  return (
    <div class="builder">
      <section class="card builder-form" aria-label="Who is listed">
        <header>
          <h2>Who</h2>
        </header>
        <div class="builder-rows">
          <Field label="Traits">
            <ConditionList
              conditions={question.user_where}
              keys={{of: 'users'}}
              of="of the people"
              onChange={(chosen) => onAsk({user_where: chosen})}
            />
          </Field>
          <Field label="They did">
            <DidPicker label="Event" name={question.event} days={days} onChoose={(event) => onAsk({event})} />
          </Field>
          <Options
            label="Within"
            value={question.within ?? 'ever'}
            options={[['ever', 'all time'] as const, ...withins.map((one) => [one, withinWords[one]] as const)]}
            onChoose={(within) => onAsk({within: within === 'ever' ? null : within})}
          />
        </div>
      </section>
      <div class="row builder-result">
        <Card
          span={12}
          title="List"
          note={`${hasMore ? 'the first ' : ''}${count(users.length)}, the last seen first`}
          tools={
            users.length > 0 && (
              <>
                <CurlButton paths={[userListPath(question, today.value, listPageMax)]} />
                <CsvButton
                  file="people"
                  rows={() => [
                    ['id', 'kind', 'created_at', 'last_seen', 'traits'],
                    ...users.map((one) => [
                      one.id,
                      one.kind,
                      one.created_at,
                      one.last_seen,
                      JSON.stringify(one.traits),
                    ]),
                  ]}
                />
              </>
            )
          }
        >
          {fault !== undefined &&
            (isRenewal && users.length > 0 ? <NotRenewed fault={fault} /> : <FaultBox fault={fault} onAgain={again} />)}
          {users.length === 0 && isReading && <Loading lines={8} />}
          {users.length === 0 && !isReading && fault === undefined && (
            <EmptyDays title="No person matches">
              Ids are compared exactly, capitals and spaces too. People are listed once a report has them; by exact id
              they are found at once.
            </EmptyDays>
          )}
          {users.length > 0 && (
            <div class={isReading ? 'dimmed' : ''} aria-busy={isReading}>
              <TableFrame label="People in a table">
                <table class="grid-table people-table">
                  <thead>
                    <tr>
                      <th>Id</th>
                      <th>Last seen</th>
                      <th>First seen</th>
                      <th>Traits</th>
                    </tr>
                  </thead>
                  <tbody>
                    {users.map(({id, kind, created_at: created, last_seen: seen, traits}) => (
                      <tr key={`${kind}/${id}`}>
                        <td class="name">
                          <a class="link" title={id} href={addressOf({kind, id})}>
                            {id}
                          </a>
                          {kind === 'anonymous' && <span class="faint"> anonymous</span>}
                        </td>
                        <td class="when">
                          <Moment iso={seen} />
                        </td>
                        <td class="when">{momentText(Date.parse(created)).slice(0, 10)}</td>
                        <td class="of">{propertiesText(traits)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </TableFrame>
            </div>
          )}
          {hasMore && (
            <div class="people-more">
              <button type="button" class="button" disabled={isReading} onClick={readOn}>
                {count(listPageMax)} more
              </button>
            </div>
          )}
        </Card>
      </div>
    </div>
  );
}
