// What still names a deleted person: texts that people wrote. Whoever deletes the person decides about each of them here.
import {useState} from 'preact/hooks';
import type {NamingAnswer} from '../../../../src/edge/dashboard/answers/naming.js';
import {pageAddress} from '../../address/base';
import {useAsked} from '../../service/asked';
import {change, faultOf} from '../../service/client';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {FaultBox} from '../../shell/states';

type Naming = NamingAnswer['naming'][number];

interface Kind {
  readonly words: string;
  /** Page that shows it. */
  readonly page?: string;
  /** Path that deletes it. */
  readonly path?: (id: string) => string;
  /** Where it is changed, in words, if not here. */
  readonly where?: string;
}

const idIn = (path: string) => (id: string) => `${path}?${new URLSearchParams({id})}`;
const hidden = {where: 'It is hidden from lists: the API takes it off the list.'};
const kinds: Readonly<Record<Naming['kind'], Kind>> = {
  saved_report: {words: 'Saved report', page: '/saved', path: (id) => `v1/saved-reports/${id}`},
  share: {words: 'Link', path: idIn('share')},
  board: {words: 'Board', page: '/boards', where: 'Change its tile, or rename it.'},
  annotation: {words: 'Annotation', path: (id) => `v1/annotations/${id}`},
  segment: {words: 'Segment', path: (id) => `v1/segments/${id}`},
  described_name: {words: 'Description of a name', page: '/events', path: (id) => `v1/described-names/${id}`},
  alert: {words: 'Alert', page: '/alerts', path: (id) => `v1/alerts/${id}`},
  webhook: {words: 'Webhook', page: '/settings/webhooks', path: (id) => `v1/webhooks/${id}`},
  funnel: {words: 'Saved funnel', page: '/funnels', path: (id) => `v1/funnels/${id}`},
  hidden_name: {words: 'Hidden event', ...hidden},
  hidden_property: {words: 'Hidden property', ...hidden},
};

export function NamedBy({deletionId, onDeleted}: {readonly deletionId: string; readonly onDeleted: () => void}) {
  const [asked, ask] = useAsked<NamingAnswer>(`naming?${new URLSearchParams({deletion: deletionId})}`);
  const [chosen, setChosen] = useState<Naming>();
  const {value, fault} = asked.value;
  if (fault !== undefined) return <FaultBox fault={fault} onAgain={ask} />;
  if (value === undefined || value.naming.length === 0) return null;
  return (
    <section class="named-by" aria-label="What names this person">
      <p>
        These things that people wrote named the person when the deletion began. A deletion changes none of them, but
        stops links that surely show the person.{' '}
        {value.naming.some((one) => one.is_there) && 'Delete or change each one, or keep it.'}
      </p>
      <ul>
        {value.naming.map((one) => (
          <Row key={one.id} one={one} onDelete={() => setChosen(one)} />
        ))}
      </ul>
      {chosen !== undefined && (
        <ConfirmDialog
          title={`Delete this ${kinds[chosen.kind].words.toLowerCase()}?`}
          actText="Delete it"
          act={async () => {
            const failed = faultOf(await change('DELETE', kinds[chosen.kind].path!(chosen.id)));
            return failed?.code === 'not_found' ? undefined : failed; // Somebody else was faster.
          }}
          onDone={() => {
            setChosen(undefined);
            ask();
            onDeleted();
          }}
          onClose={() => setChosen(undefined)}
        >
          <p>
            <strong>{chosen.title}</strong> goes for everybody.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function Row({
  one: {kind, id, title, is_there: isThere},
  onDelete,
}: {
  readonly one: Naming;
  readonly onDelete: () => void;
}) {
  const {words, page, path, where} = kinds[kind];
  return (
    <li>
      <span class="what">
        <span class="faint">{words}</span> {isThere ? title : <code>{id}</code>}
        {isThere && where !== undefined && <span class="help"> {where}</span>}
      </span>
      {!isThere && <span class="pill">{kind === 'share' ? 'Stopped' : 'Deleted'}</span>}
      {isThere && page !== undefined && (
        <a class="button" href={pageAddress(page)}>
          Open
        </a>
      )}
      {isThere && path !== undefined && (
        <button type="button" class="button" onClick={onDelete}>
          Delete
        </button>
      )}
    </li>
  );
}
