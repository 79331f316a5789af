// The people that a search finds, the last seen first.
import type {Signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {pageAddress} from '../../address/base';
import {writeAddress} from '../../address/codec';
import {conditionText} from '../../address/conditions';
import type {PersonId} from '../../address/report-address';
import {homeZone} from '../../address/zone';
import {count, dateOf, propertiesText} from '../../charts/format';
import {ConditionList} from '../../controls/condition-list';
import {DidPicker} from '../../controls/did-picker';
import {Moment} from '../../controls/moment';
import {Field, Options} from '../../controls/options';
import {PersonName} from '../../controls/person-name';
import {TableFrame} from '../../controls/table-frame';
import type {Freshness} from '../../service/freshness';
import {titleIn} from '../../service/titles';
import {type ListedUser, useUserList} from '../../service/user-list';
import {Card} from '../../shell/card';
import type {EmptyDaysProps} from '../../shell/empty-days';
import {later} from '../../shell/later';
import {NotRenewed} from '../../shell/not-renewed';
import {ReportTools} from '../../shell/page-tools';
import {QuestionForm} from '../../shell/question';
import {FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import {ColumnsButton, traitCell} from './columns';
import {type PeopleQuestion, peopleListForm, traitOfColumn, userListPath, withins} from './people-address';

const EmptyDays = later<EmptyDaysProps>(() => import('../../shell/empty-days').then(({EmptyDays: Part}) => Part));

const listPageMax = 100;
const withinWords = {'1d': 'today', '7d': 'the last 7 days', '30d': 'the last 30 days', '90d': 'the last 90 days'};
/** Names of events with counts, for the picker. */
const pickerDays = 90;

export function PeopleList({
  question,
  freshness,
  listed,
  onAsk,
}: {
  readonly question: PeopleQuestion;
  /** Is set to that of the list. */
  readonly freshness: Signal<Freshness | undefined>;
  /** Gets the list of the question, for the search above it. */
  readonly listed: {current: {readonly search: string | null; readonly users: readonly ListedUser[]} | null};
  readonly onAsk: (changed: Partial<PeopleQuestion>) => void;
}) {
  const today = todayIn(question.zone ?? homeZone());
  const [list, readOn, again] = useUserList((page) => userListPath(question, today, listPageMax, page));
  const {users, hasMore, isReading, fault, isRenewal} = list;
  useEffect(() => {
    freshness.value = list.freshness;
    listed.current = isReading ? null : {search: question.search, users};
  }, [list.freshness, isReading]);
  /** With the question of the list, to which `All people` leads back. */
  const addressOf = ({kind, id}: PersonId): string =>
    pageAddress('/people') + writeAddress(peopleListForm, {...question, search: null, [kind]: id});
  const days = {from: today - pickerDays + 1, to: today};
  return (
    <div class="builder">
      <QuestionForm words={whoText(question)}>
        <section class="card builder-form" aria-label="Who is listed">
          <header>
            <h2>Who</h2>
          </header>
          <div class="builder-rows">
            <Field label="Users where">
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
      </QuestionForm>
      <div class="row builder-result">
        <Card
          span={12}
          title="List"
          note={`${hasMore ? 'the first ' : ''}${count(users.length)}, the last seen first`}
          tools={
            users.length > 0 && (
              <>
                <ColumnsButton users={users} columns={question.column} onChoose={(column) => onAsk({column})} />
                <ReportTools
                  paths={[userListPath(question, today, listPageMax)]}
                  csv={{
                    file: 'people',
                    rows: () => [
                      ['id', 'kind', 'title', 'created_at', 'last_seen', 'traits'],
                      ...users.map((one) => [
                        one.id,
                        one.kind,
                        titleIn(one.traits) ?? '',
                        one.created_at,
                        one.last_seen,
                        JSON.stringify(one.traits),
                      ]),
                    ],
                  }}
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
              A search finds a part of an id, a title or an e-mail address, whatever its case. People are listed once a
              report has them; Enter opens an exact id at once.
            </EmptyDays>
          )}
          {users.length > 0 && (
            <div class={isReading ? 'dimmed' : ''} aria-busy={isReading}>
              <TableFrame label="People in a table">
                <table class="grid-table people-table">
                  <thead>
                    <tr>
                      <th>Person</th>
                      {question.column.map((column) => (
                        <th key={column}>{heads[column] ?? traitOfColumn(column)}</th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {users.map((one) => (
                      <tr key={`${one.kind}/${one.id}`}>
                        <td class="name">
                          <PersonName person={one} title={titleIn(one.traits)}>
                            {(text) => (
                              <a class="link" href={addressOf(one)}>
                                {text}
                              </a>
                            )}
                          </PersonName>
                        </td>
                        {question.column.map((column) => (
                          <ColumnCell key={column} column={column} user={one} />
                        ))}
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

/** Who is listed, in one line. */
function whoText({user_where: traits, event, within}: PeopleQuestion): string {
  const did = event === null ? [] : [`who did ${event}`];
  const when = within === null ? [] : [`active within ${withinWords[within]}`];
  return ['All people', ...traits.map(conditionText), ...did, ...when].join(', ');
}

const heads: Readonly<Record<string, string>> = {last_seen: 'Last seen', first_seen: 'First seen', traits: 'Traits'};

function ColumnCell({column, user}: {readonly column: string; readonly user: ListedUser}) {
  if (column === 'last_seen')
    return (
      <td class="when">
        <Moment iso={user.last_seen} />
      </td>
    );
  if (column === 'first_seen') return <td class="when">{dateOf(Date.parse(user.created_at))}</td>;
  const trait = traitOfColumn(column);
  if (trait === undefined) return <td class="of">{propertiesText(user.traits)}</td>;
  return <td class="trait">{traitCell(user.traits, trait)}</td>;
}
