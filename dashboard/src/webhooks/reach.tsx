// How many receivers an alert or a digest reaches (webhooks, chats and mail addresses), and what an admin does about it: add one, or send
// each a test. What reaches nobody is of use to those alone who look at its page, so that is said.
import {useState} from 'preact/hooks';
import type {ReachAnswer} from '../../../src/edge/dashboard/answers/reach.js';
import {change, type Fault, read} from '../service/client';
import {may} from '../service/session';
import {Icon} from '../shell/icon';
import {FaultBox} from '../shell/states';
import {reachText, testedText} from './webhook-words';
import './reach.css';

interface Audience {
  /** Ids; undefined: those that subscribe to it. */
  readonly endpoints?: readonly string[] | undefined;
}

/**
 * What is told. A digest gives the id of its saved report or board as `of`. An alert gives its `name`, and the id of a saved funnel if it
 * tells who stalls.
 */
export type Told = Audience & ({readonly of: string} | {readonly name: string; readonly funnel?: string | undefined});

/** Path of the question who is reached. Undefined: nobody is, without asking. */
export function reachPath({endpoints, ...told}: Told): string | undefined {
  const isUnknown = 'of' in told ? told.of === '' : told.funnel === '';
  if (isUnknown || endpoints?.length === 0) return undefined;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(told)) if (value !== undefined && value !== '') query.set(name, value);
  for (const id of endpoints ?? []) query.append('endpoint', id);
  return `reach?${query}`;
}

export function Reach({
  reaches,
  told,
  onAdd,
  addText = 'Add a receiver',
}: {
  readonly reaches: number;
  readonly told: Told;
  /** Undefined: one is added elsewhere. */
  readonly onAdd: (() => void) | undefined;
  readonly addText?: string;
}) {
  const isNobody = reaches === 0;
  return (
    <span class={`reach ${isNobody ? 'nobody' : ''}`}>
      {isNobody && <Icon name="warning" />}
      {capital(reachText(reaches))}.{' '}
      {!may('admin')
        ? isNobody && 'An admin adds webhooks, chats and mail addresses under Settings, Webhooks.'
        : onAdd !== undefined && (
            <button type="button" class="link" onClick={onAdd}>
              {addText}
            </button>
          )}{' '}
      {may('admin') && !isNobody && <SendTest told={told} />}
    </span>
  );
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function SendTest({told}: {readonly told: Told}) {
  const [said, setSaid] = useState('');
  const [fault, setFault] = useState<Fault>();
  const send = async (): Promise<void> => {
    setFault(undefined);
    setSaid('');
    const path = reachPath(told);
    const reached = path === undefined ? undefined : await read<ReachAnswer>(path);
    if (reached?.kind === 'fault') return setFault(reached.fault);
    const ids = reached?.value.endpoints ?? [];
    for (const id of ids) {
      const answer = await change('POST', `v1/webhooks/${encodeURIComponent(id)}/test`, {});
      if (answer.kind === 'fault') return setFault(answer.fault);
    }
    setSaid(testedText(ids.length));
  };
  return (
    <>
      <button type="button" class="link" onClick={() => void send()}>
        Send a test
      </button>{' '}
      <span role="status">{said}</span>
      {fault !== undefined && <FaultBox fault={fault} />}
    </>
  );
}
