// How many webhooks and chats an alert reaches, and the way to add one. An alert that reaches nobody is of use to those alone who look
// at this page, so that is said.
import {useEffect} from 'preact/hooks';
import type {AlertReachAnswer} from '../../../../src/edge/dashboard/answers/alert-reach.js';
import {useAsked} from '../../service/asked';
import {may} from '../../service/session';
import {Icon} from '../../shell/icon';
import {reachText} from '../../webhooks/webhook-words';
import type {AlertDraft} from './alert-draft';

export function Reach({reaches, onAdd}: {readonly reaches: number; readonly onAdd: () => void}) {
  if (reaches > 0) return <span class="alert-reach">{capital(reachText(reaches))}</span>;
  return (
    <span class="alert-reach nobody">
      <Icon name="warning" />
      {capital(reachText(reaches))}.{' '}
      {may('admin') ? (
        <button type="button" class="link" onClick={onAdd}>
          Add a webhook or chat
        </button>
      ) : (
        'An admin adds webhooks and chats under Settings, Webhooks.'
      )}
    </span>
  );
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Says how many webhooks and chats the alert of the form reaches. A new `round`: a webhook or chat was added. */
export function DraftReach({
  draft: {name, kind, funnel, endpoints},
  round,
  onAdd,
}: {
  readonly draft: AlertDraft;
  readonly round: number;
  readonly onAdd: () => void;
}) {
  const query = new URLSearchParams({
    ...(name.trim() !== '' && {name: name.trim()}),
    ...(kind === 'stalled' && {funnel}),
  });
  for (const id of endpoints ?? []) query.append('endpoint', id);
  const isUnasked = endpoints?.length === 0 || (kind === 'stalled' && funnel === '');
  const [asked, ask] = useAsked<AlertReachAnswer>(isUnasked ? undefined : `alert-reach?${query}`);
  useEffect(() => {
    if (round > 0) ask();
  }, [round]);
  const reaches = endpoints?.length === 0 ? 0 : asked.value.value?.reaches;
  return (
    <p class="help" role="status">
      {reaches !== undefined && <Reach reaches={reaches} onAdd={onAdd} />}
    </p>
  );
}
