// Digests: which saved reports and boards are sent, when, and to how many.
import {useEffect, useState} from 'preact/hooks';
import {Beginnings} from '../../controls/beginnings';
import {DigestForm, templates} from '../../digests/digest-form';
import {whenText} from '../../digests/digest-text';
import type {Fault} from '../../service/client';
import {changeDigest, type Digest, digests, digestsFault, readDigests, removeDigest} from '../../service/digests';
import {AskedState} from '../../shell/asked-state';
import {Card} from '../../shell/card';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {Icon} from '../../shell/icon';
import {RowTool} from '../../shell/row-tool';
import {Empty, FaultBox} from '../../shell/states';
import {reachText} from '../../webhooks/webhook-words';

type Asked =
  | {readonly what: 'new'; readonly of: string | undefined; readonly begun?: (typeof templates)[number]}
  | {readonly what: 'change' | 'remove'; readonly digest: Digest};

/** `of`: a saved report or a board that somebody wants to send. */
export function DigestList({of, onSent}: {readonly of: string | undefined; readonly onSent: () => void}) {
  const [asked, setAsked] = useState<Asked>();
  const [fault, setFault] = useState<Fault>();
  useEffect(() => void readDigests(), []);
  const open: Asked | undefined = of === undefined ? asked : {what: 'new', of};
  const all = digests.value;
  const close = (): void => {
    setAsked(undefined);
    onSent();
  };
  return (
    <Card
      span={12}
      title="Digests"
      note="numbers of finished days, sent to chats, mail addresses and servers"
      tools={
        <button type="button" class="button" onClick={() => setAsked({what: 'new', of: undefined})}>
          <Icon name="Plus" />
          Digest
        </button>
      }
    >
      {fault !== undefined && <FaultBox fault={fault} />}
      <AskedState value={all} fault={digestsFault.value} onAgain={() => void readDigests()} />
      {all?.length === 0 && (
        <>
          <Empty title="No digest yet">
            A saved report or a board is sent each day or week, with the change to the days before.
          </Empty>
          <Beginnings
            label="First digests"
            steps={templates}
            onChoose={(begun) => setAsked({what: 'new', of: undefined, begun})}
          />
        </>
      )}
      {all !== undefined && all.length > 0 && (
        <ul class="saved-list">
          {all.map((digest) => {
            const name = digest.name ?? 'a report that was deleted';
            return (
              <li key={digest.id}>
                <Icon name="calendar" />
                <span class="saved-name">
                  <span>{name}</span>
                  <span class="faint">
                    {whenText(digest)}
                    {digest.paused && ', paused'}
                  </span>
                </span>
                <span class="saved-who faint">{reachText(digest.reaches)}</span>
                <span class="saved-tools">
                  <RowTool
                    label={`${digest.paused ? 'Resume' : 'Pause'} the digest of ${name}`}
                    icon={digest.paused ? 'Play' : 'Pause'}
                    onClick={() => void changeDigest(digest, {paused: !digest.paused}).then(setFault)}
                  />
                  <RowTool
                    label={`Change the digest of ${name}`}
                    icon="Rename"
                    onClick={() => setAsked({what: 'change', digest})}
                  />
                  <RowTool
                    label={`Remove the digest of ${name}`}
                    icon="Trash"
                    onClick={() => setAsked({what: 'remove', digest})}
                  />
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {open?.what === 'new' && <DigestForm of={open.of} {...(open.begun && {begun: open.begun})} onClose={close} />}
      {open?.what === 'change' && <DigestForm digest={open.digest} of={open.digest.of} onClose={close} />}
      {open?.what === 'remove' && (
        <ConfirmDialog
          title="Remove the digest?"
          actText="Remove"
          act={() => removeDigest(open.digest)}
          onDone={close}
          onClose={close}
        >
          <p>
            <strong>{open.digest.name}</strong> is not sent any more. The report and its numbers stay.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
