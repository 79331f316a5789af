// Who is told, in the form of an alert or a digest: how many, which, and one more, added without leaving the form.
import type {VNode} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import type {ReachAnswer} from '../../../src/edge/dashboard/answers/reach.js';
import {useAsked} from '../service/asked';
import {may} from '../service/session';
import {later} from '../shell/later';
import {AudienceFields} from './audience-fields';
import type {CreateWebhookProps} from './create-webhook';
import {Reach, reachPath, type Told} from './reach';

const CreateWebhook = later<CreateWebhookProps>(() =>
  import('./create-webhook').then((dialog) => dialog.CreateWebhook),
);

interface Options {
  readonly told: Told;
  /** Words for the messages. */
  readonly of: 'alerts' | 'digests';
  /** The messages name people, and chats name nobody. */
  readonly areOfPeople?: boolean;
  readonly onChange: (endpoints: readonly string[] | undefined) => void;
}

/** `dialog` stands beside the form: it has a form of its own. */
export function useAudience({told, of, areOfPeople = false, onChange}: Options): {
  readonly fields: VNode;
  readonly dialog: VNode | undefined;
} {
  const [isAdding, setAdding] = useState(false);
  /** Number of receivers that were added from here. */
  const [added, setAdded] = useState(0);
  const path = reachPath(told);
  const [asked, ask] = useAsked<ReachAnswer>(path);
  useEffect(() => {
    if (added > 0) ask();
  }, [added]);
  const {endpoints} = told;
  const reaches = path === undefined ? 0 : asked.value.value?.reaches;
  const taken = of === 'digests' ? 'report.digest' : areOfPeople ? 'funnel.stalled' : 'report.threshold';
  return {
    fields: (
      <>
        <p class="help" role="status">
          {reaches !== undefined && <Reach reaches={reaches} told={told} onAdd={() => setAdding(true)} />}
        </p>
        {may('admin') && (
          <AudienceFields key={added} of={of} endpoints={endpoints} areOfPeople={areOfPeople} onChange={onChange} />
        )}
      </>
    ),
    dialog: isAdding ? (
      <CreateWebhook
        told={taken}
        onCreated={(id) => endpoints !== undefined && onChange([...endpoints, id])}
        onClose={() => {
          setAdding(false);
          setAdded(added + 1);
        }}
      />
    ) : undefined,
  };
}
