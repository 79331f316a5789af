// Saved funnels: those that the service follows for every user. The steps and the window of the page can become one.
import {useState} from 'preact/hooks';
import type {SavedFunnelAnswer} from '../../../../src/edge/answers/saved-funnels.js';
import {pageAddress} from '../../address/base';
import type {FunnelQuestion} from '../../address/funnel-address';
import {windowText} from '../../address/window-text';
import {useAsked} from '../../service/asked';
import {type Answer, change, type Fault, type Listed} from '../../service/client';
import {Card} from '../../shell/card';
import {FaultBox, Loading} from '../../shell/states';
import './saved-funnels.css';

interface SavedFunnelsProps {
  readonly question: FunnelQuestion;
}

export function SavedFunnels({question}: SavedFunnelsProps) {
  const [asked, ask] = useAsked<Listed<SavedFunnelAnswer> & {readonly late_users: number | null}>('v1/funnels');
  const [name, setName] = useState('');
  const [leaving, setLeaving] = useState<string>();
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const {value, fault: askFault} = asked.value;
  const {step, window} = question;

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
    make(() => change('POST', 'v1/funnels', {name: name.trim(), steps: step, ...(window === null ? {} : {window})}));
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
              <a class="link" href={addressOf(funnel)}>
                {funnel.name}
              </a>
              <span>
                {funnel.steps.join(' → ')}
                {funnel.window !== null && `, within ${windowText(funnel.window)}`}
              </span>
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
      {value?.data.length === 0 && step.length === 0 && (
        <p class="help">None yet: choose steps above, and save them here under a name.</p>
      )}
      {step.length > 0 && (
        <form
          class="with-button save-funnel"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <input
            aria-label="Name of the saved funnel"
            placeholder={`Name for ${step.length === 1 ? 'this step' : `these ${step.length} steps`}`}
            maxLength={256}
            autocomplete="off"
            value={name}
            onInput={({currentTarget}) => setName(currentTarget.value)}
          />
          <button type="submit" class="button" disabled={isBusy || name.trim() === ''}>
            Save the steps
          </button>
        </form>
      )}
      {hasMore(question) && (
        <p class="help">Steps and window are saved: not conditions, orders, exclusions or held properties.</p>
      )}
      {fault !== undefined && <FaultBox fault={fault} />}
    </Card>
  );
}

/** Rules that a saved funnel does not have. */
const hasMore = ({where, user_where: userWhere, order, exclude, hold, paths}: FunnelQuestion): boolean =>
  where.some((list) => list.length > 0) ||
  userWhere.length + exclude.length > 0 ||
  [order, hold, paths].some((one) => one !== null);

function addressOf({steps, window}: SavedFunnelAnswer): string {
  const asked = new URLSearchParams(steps.map((step) => ['step', step]));
  if (window !== null) asked.set('window', window);
  return `${pageAddress('/funnels')}?${asked}`;
}
