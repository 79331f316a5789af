// Paths: what users do after an event, or before it, step by step.

import type {PathsAnswer} from '../../../../src/edge/answers/engagement.js';
import {writeAddress} from '../../address/codec';
import {pathsForm, pathsQuestion} from '../../address/engagement-address';
import {daysOf} from '../../address/range';
import {count, datesText} from '../../charts/format';
import {pathCsv} from '../../charts/path-columns';
import {UserConditions} from '../../controls/common-fields';
import {ConditionList} from '../../controls/condition-list';
import {EventPicker} from '../../controls/event-picker';
import {Field, Options} from '../../controls/options';
import {useSuggestedEvent} from '../../controls/suggested-event';
import {ZoneField} from '../../controls/zone-field';
import {useReports} from '../../service/reports';
import {useAddress} from '../../service/use-address';
import {Card} from '../../shell/card';
import type {EmptyDaysProps} from '../../shell/empty-days';
import {Explained} from '../../shell/explained';
import {later} from '../../shell/later';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import type {PinProps} from '../../shell/pin-button';
import {Question, QuestionFields} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import {Columns, type PathsAsked, placeOf} from './columns';
import '../../design/reports.css';
import '../../design/builder.css';

const EmptyDays = later<EmptyDaysProps>(() => import('../../shell/empty-days').then(({EmptyDays: Part}) => Part));
const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));

export function Paths() {
  const {question, problems, ask, suggest} = useAddress(pathsForm);
  const place = {zone: question.zone, today: todayIn(question.zone)};
  const days = {...daysOf(question.range, place.today), zone: question.zone};
  const {event, direction} = question;
  const suggesting = useSuggestedEvent(event !== null, days, (name) => suggest({event: name}));
  const asking = useReports<PathsAsked>(
    {question, days, dates: datesText(days, place.today)},
    event === null ? undefined : [pathsQuestion(question, event, days)],
  );
  const {shown} = asking;
  const report = shown?.reports[0];
  const answer = report?.value as PathsAnswer | undefined;
  const total = answer?.steps[0]?.[0]?.users ?? 0;
  return (
    <>
      <ReportHead
        title="Paths"
        freshness={shown?.freshness}
        problems={problems}
        range={question.range}
        place={place}
        ask={({range}) => ask({...(range && {range})})}
      />
      <div class="builder">
        <Question>
          <QuestionFields>
            <Options
              label="What users do"
              value={direction}
              options={[
                ['after', 'After they did it for the first time'],
                ['before', 'Before they did it for the last time'],
              ]}
              onChoose={(chosen) => ask({direction: chosen})}
            />
            <Field label="The event">
              <EventPicker
                key={event}
                label="Event"
                name={event ?? undefined}
                days={days}
                onChoose={(name) => ask({event: name})}
              />
            </Field>
            <Field label="Only events where">
              <ConditionList
                conditions={question.where}
                keys={{of: 'events', event: undefined, days}}
                of="of the events"
                add="+ filter"
                onChange={(chosen) => ask({where: chosen})}
              />
            </Field>
            <UserConditions conditions={question.user_where} onChange={(chosen) => ask({user_where: chosen})} />
            <ZoneField zone={question.zone} onChoose={(zone) => ask({zone})} />
            <Options
              label="Steps"
              value={String(question.depth)}
              options={['2', '3', '4', '5', '6'].map((one) => [one, one] as const)}
              onChoose={(depth) => ask({depth: Number(depth)})}
            />
            <Options
              label="Ways shown from step to step"
              value={String(question.top)}
              options={topsWith(question.top).map((one) => [String(one), `The ${one} with most users`] as const)}
              onChoose={(top) => ask({top: Number(top)})}
            />
          </QuestionFields>
        </Question>
        <div class="row builder-result">
          <Card
            span={12}
            title="Paths"
            note={`one path a user, ${datesText(days, place.today)}, ${question.zone}`}
            sum={
              answer !== undefined && (
                <>
                  <b>
                    <Explained
                      text={count(total)}
                      of="users"
                      behind={placeOf(shown!, {users: total, total, step: 1, name: shown!.question.question.event!})}
                    />
                  </b>{' '}
                  users
                </>
              )
            }
            tools={
              answer !== undefined && (
                <>
                  <CurlButton paths={[report!.path]} />
                  <PinButton page="/paths" form={pathsForm} search={writeAddress(pathsForm, question)} />
                  <CsvButton file="paths" rows={() => pathCsv(answer)} />
                </>
              )
            }
          >
            {suggesting.fault !== undefined ? (
              <FaultBox fault={suggesting.fault} onAgain={suggesting.again} />
            ) : suggesting.isNone ? (
              <EmptyDays title="No event in these days">Choose other days.</EmptyDays>
            ) : event === null ? (
              <Loading lines={8} />
            ) : (
              <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
                {() => <Columns key={report!.path} answer={answer!} shown={shown!} />}
              </ReportBody>
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

const tops = [5, 8, 15, 30, 50];
const topsWith = (top: number): number[] => (tops.includes(top) ? tops : [...tops, top].sort((a, b) => a - b));
