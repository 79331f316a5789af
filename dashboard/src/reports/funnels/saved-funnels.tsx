// Saved funnels: those that the service follows for every user. The paths of the page can become one.
import {useState} from 'preact/hooks';
import type {SavedFunnelAnswer} from '../../../../src/edge/answers/saved-funnels.js';
import {pageAddress} from '../../address/base';
import {conditionText} from '../../address/conditions';
import {conditionsOf} from '../../address/page-question';
import {windowText} from '../../charts/format';
import {useAsked} from '../../service/asked';
import {type Answer, change, type Fault, type Listed} from '../../service/client';
import {Card} from '../../shell/card';
import {FaultBox, Loading} from '../../shell/states';
import {addressOfFollowed, type FunnelDraft, followedBy, stepLabel} from './funnel-question';
import './saved-funnels.css';

interface SavedFunnelsProps {
  readonly question: FunnelDraft;
}

export function SavedFunnels({question}: SavedFunnelsProps) {
  const [asked, ask] = useAsked<Listed<SavedFunnelAnswer> & {readonly late_users: number | null}>('v1/funnels');
  const [name, setName] = useState('');
  const [leaving, setLeaving] = useState<string>();
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const {value, fault: askFault} = asked.value;
  const {steps} = question;

  const make = async (doing: () => Promise<Answer<unknown>>): Promise<void> => {
    setBusy(true);
    const answer = await doing();
    setBusy(false);
    setLeaving(undefined);
    setFault(answer.kind === 'fault' ? answer.fault : undefined);
    if (answer.kind === 'value') setName('');
    ask();
  };
  const save = (): Promise<void> =>
    make(() => change('POST', 'v1/funnels', {name: name.trim(), question: followedBy(question)}));
  const remove = ({id}: SavedFunnelAnswer): void => {
    if (leaving === id) void make(() => change('DELETE', `v1/funnels/${encodeURIComponent(id)}`));
    else setLeaving(id);
  };
  return (
    <Card span={12} title="Saved funnels" note="followed for every user: on profiles, by webhooks and alerts">
      {askFault !== undefined && <FaultBox fault={askFault} onAgain={ask} />}
      {value === undefined && askFault === undefined && <Loading lines={2} />}
      {value !== undefined && value.data.length > 0 && (
        <ul class="saved-funnels">
          {value.data.map((funnel) => (
            <li key={funnel.id}>
              <a class="link" href={pageAddress('/funnels') + addressOfFollowed(funnel.question)}>
                {funnel.name}
              </a>
              <span>{pathText(funnel.question)}</span>
              <button type="button" class="link bad" disabled={isBusy} onClick={() => remove(funnel)}>
                {leaving === funnel.id ? 'Delete it for good' : 'Delete'}
                <span class="visually-hidden"> {funnel.name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {!!value?.late_users && (
        <p class="help">Users whose messages came late because FUNNEL_MEMORY_MIB is full: {value.late_users}.</p>
      )}
      {value?.data.length === 0 && steps.length === 0 && (
        <p class="help">None yet: choose steps above, and save them here under a name.</p>
      )}
      {steps.length > 0 && (
        <form
          class="with-button save-funnel"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <input
            aria-label="Name of the saved funnel"
            placeholder={`Name for ${steps.length === 1 ? 'this step' : `these ${steps.length} steps`}`}
            maxLength={256}
            autocomplete="off"
            value={name}
            onInput={({currentTarget}) => setName(currentTarget.value)}
          />
          <button type="submit" class="button" disabled={isBusy || name.trim() === ''}>
            Save the funnel
          </button>
        </form>
      )}
      {hasMore(question) && (
        <p class="help">
          A saved funnel follows all users over all time: it has no conditions on users, segment, held property or days.
        </p>
      )}
      {fault !== undefined && <FaultBox fault={fault} />}
    </Card>
  );
}

/** Rules that a saved funnel does not have. */
const hasMore = ({users, hold, in_range: inRange}: FunnelDraft): boolean =>
  [users?.where?.length || undefined, users?.segment, users?.not_segment, hold, inRange].some(
    (one) => one !== undefined,
  );

const orderWords = {strict: ', one right after the other', any: ', in any order', sequential: ''};

/** `signup → purchase, amount is more than 0, within 7 days, without refund` */
function pathText({steps, order = 'sequential', window, where, exclude = []}: SavedFunnelAnswer['question']): string {
  const path = steps.map(stepLabel).join(' → ');
  const all = conditionsOf(where).map(conditionText).join(' and ');
  const excluded = exclude.map(stepLabel).join('; ');
  return [
    path + orderWords[order],
    ...(all === '' ? [] : [`of events whose ${all}`]),
    ...(window === undefined ? [] : [`within ${windowText(window)}`]),
    ...(excluded === '' ? [] : [`without ${excluded}`]),
  ].join(', ');
}
