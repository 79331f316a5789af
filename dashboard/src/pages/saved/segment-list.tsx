// Segments: users by what is known of them, under a name that every report can ask by.
import {useEffect, useState} from 'preact/hooks';
import {conditionText, readCondition} from '../../address/conditions';
import {conditionsOf, membersOf} from '../../address/page-question';
import {ConditionList} from '../../controls/condition-list';
import {DialogForm} from '../../controls/dialog-form';
import {Moment} from '../../controls/moment';
import {Field} from '../../controls/options';
import type {Fault} from '../../service/client';
import {
  changeSegment,
  createSegment,
  readSegments,
  removeSegment,
  type Segment,
  segments,
  segmentsFault,
  setInternalUsers,
} from '../../service/segments';
import {may, session} from '../../service/session';
import {AskedState} from '../../shell/asked-state';
import {Card} from '../../shell/card';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {Icon} from '../../shell/icon';
import {RowTool} from '../../shell/row-tool';
import {Empty, FaultBox} from '../../shell/states';

type Asked = {readonly what: 'new'} | {readonly what: 'change' | 'remove'; readonly segment: Segment};

export function SegmentList() {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => void readSegments(), []);
  const all = segments.value;
  const mayChange = may('analyst');
  const close = (): void => setAsked(undefined);
  const [fault, setFault] = useState<Fault>();
  const internal = session.value?.internal;
  const setInternal = async (id: string | null): Promise<void> => setFault(await setInternalUsers(id));
  return (
    <Card
      span={12}
      title="Segments"
      note="users under a name, for every report"
      tools={
        mayChange && (
          <button type="button" class="button" onClick={() => setAsked({what: 'new'})}>
            <Icon name="Plus" />
            Segment
          </button>
        )
      }
    >
      <AskedState value={all} fault={segmentsFault.value} onAgain={() => void readSegments()} />
      {fault !== undefined && <FaultBox fault={fault} />}
      {all?.length === 0 && (
        <Empty title="No segment yet">Who is in one is computed with each question: no list of people is stored.</Empty>
      )}
      {all !== undefined && all.length > 0 && (
        <ul class="saved-list">
          {all.map((segment) => (
            <li key={segment.id}>
              <Icon name="users" />
              <span class="saved-name">
                <span>
                  {segment.name}
                  {segment.id === internal && <span class="pill">Internal and test users</span>}
                </span>
                <span class="faint">{wordsOf(segment)}</span>
              </span>
              <span class="saved-who faint">
                <Moment iso={segment.changed_at} /> by {segment.changed_by}
              </span>
              {mayChange && (
                <span class="saved-tools">
                  <RowTool
                    label={
                      segment.id === internal
                        ? `${segment.name} has no internal and test users`
                        : `${segment.name} has the internal and test users`
                    }
                    icon="Flag"
                    onClick={() => void setInternal(segment.id === internal ? null : segment.id)}
                  />
                  <RowTool
                    label={`Change ${segment.name}`}
                    icon="Rename"
                    onClick={() => setAsked({what: 'change', segment})}
                  />
                  <RowTool
                    label={`Remove ${segment.name}`}
                    icon="Trash"
                    onClick={() => setAsked({what: 'remove', segment})}
                  />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {all !== undefined && all.length > 0 && !all.some(({id}) => id === internal) && mayChange && (
        <p class="help">Mark one as internal and test users (the flag): every page can then leave them out.</p>
      )}
      {asked?.what === 'new' && <SegmentForm onClose={close} />}
      {asked?.what === 'change' && <SegmentForm segment={asked.segment} onClose={close} />}
      {asked?.what === 'remove' && (
        <ConfirmDialog
          title="Remove the segment?"
          actText="Remove"
          act={() => removeSegment(asked.segment)}
          onDone={close}
          onClose={close}
        >
          <p>
            <strong>{asked.segment.name}</strong> goes for everybody. Questions about it are refused from then on.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** Without `segment`: makes a new one. What its users did stays as it is, as do conditions that no text means. */
function SegmentForm({segment, onClose}: {readonly segment?: Segment; readonly onClose: () => void}) {
  const users: Users = segment?.users ?? {};
  const isText = (one: unknown): boolean => typeof one === 'string';
  const others = (users.where ?? []).filter((one) => !isText(one));
  const [name, setName] = useState(segment?.name ?? '');
  const [where, setWhere] = useState(conditionsOf((users.where ?? []).filter(isText)));
  const called = name.trim();
  const isOfSome = where.length + others.length + (users.did ?? []).length > 0;
  return (
    <DialogForm
      title={segment === undefined ? 'New segment' : 'Change the segment'}
      actText={segment === undefined ? 'Create' : 'Change'}
      isReady={called !== '' && isOfSome}
      act={async () => {
        const changed = {name: called, users: {...users, where: [...membersOf(where), ...others]}};
        const fault = await (segment === undefined ? createSegment(changed) : changeSegment(segment, changed));
        if (fault === undefined) onClose();
        return fault;
      }}
      onClose={onClose}
    >
      <label for="segment-name">Name</label>
      <input
        id="segment-name"
        autocomplete="off"
        maxLength={256}
        value={name}
        onInput={({currentTarget}) => setName(currentTarget.value)}
      />
      <Field label="Users where">
        <ConditionList conditions={where} keys={{of: 'users'}} of="of the users" onChange={setWhere} />
      </Field>
      {segment !== undefined && <p class="help">Every report about the segment counts its new users from then on.</p>}
    </DialogForm>
  );
}

type Users = Segment['users'];

const whereText = (where: Users['where'] = []): string[] =>
  where.map((one) => {
    if (typeof one !== 'string') return `${one.property} ${one.op}`;
    const condition = readCondition(one);
    return condition === undefined ? one : conditionText(condition);
  });

/** `plan is pro; did login, source is app in -7d`. */
const wordsOf = ({users: {where, did = []}}: Segment): string => [...whereText(where), ...did.map(deedText)].join('; ');

function deedText({event, where, range, not}: NonNullable<Users['did']>[number]): string {
  const what = [event ?? 'any event', ...whereText(where)].join(', ');
  const days = typeof range === 'object' ? `${range.from ?? ''}..${range.to ?? ''}` : range;
  return `${not ? 'did not do' : 'did'} ${what}${days === undefined ? '' : ` in ${days}`}`;
}
